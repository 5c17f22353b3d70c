#include "tools/schema/schemas.h"

#include <fmt/core.h>

#include <set>

#include "platform/catalogue/designs.h"
#include "platform/catalogue/rtl_designs.h"
#include "platform/config/host.h"
#include "platform/config/reader.h"
#include "platform/config/run_config.h"
#include "platform/hardware/cosim/mutation.h"
#include "platform/iteration/train/train_config.h"
#include "platform/iteration/training/trained_network.h"
#include "platform/studies/cluster/array_config.h"
#include "platform/studies/cluster/nada_config.h"
#include "platform/studies/sweep/definition/definition.h"
#include "platform/studies/validate/link_validation.h"
#include "platform/studies/validate/validate_config.h"

namespace weft::tools {

namespace {

using config::Node;
using config::scalar_node;

constexpr const char* kItself = ".";  // in keys.yaml: the meaning of the map itself
constexpr const char* kExtends = "extends";
constexpr const char* kFreeKeys = "*";  // the meaning of keys that the user names

// The alternatives of a schema that describe maps.
std::vector<Node*> maps_of(Node& node) {
  if (Node* const items = node.find("items")) return maps_of(*items);
  if (node.find("properties")) return {&node};
  std::vector<Node*> all;
  if (Node* const any = node.find("anyOf")) {
    for (Node& each : any->children) {
      for (Node* const map : maps_of(each)) all.push_back(map);
    }
  }
  return all;
}

// The alternative of a schema that describes a map whose keys are free, or null.
Node* free_map_of(Node& node) {
  const Node* const free = node.find("additionalProperties");
  if (free && free->kind == Node::Kind::Map) return &node;
  if (Node* const items = node.find("items")) return free_map_of(*items);
  Node* const any = node.find("anyOf");
  for (std::size_t i = 0; any && i < any->children.size(); ++i) {
    if (Node* const found = free_map_of(any->children[i])) return found;
  }
  return nullptr;
}

void set_description(Node& node, const std::string& text) {
  node.set("description", scalar_node(text, true));
}

// The meanings of keys.yaml, and which of them were used.
class Meanings {
 public:
  explicit Meanings(const Node& file) : file_(file) {}

  // Gives every key of the schema of a kind of file its meaning. Throws InputError at keys.yaml if it lacks one.
  void describe(Node& schema, const std::string& kind) {
    const Node* const section = file_.find(kind);
    if (!section) throw config::error_at(file_.place, kind, "is missing: the meanings of its keys");
    used_.insert(section);
    describe(schema, *section, kind);
  }
  // Throws InputError at a meaning of keys.yaml that no schema uses.
  void require_all_used() const { require_all_used(file_, ""); }

 private:
  void describe(Node& node, const Node& meaning, const std::string& path) {
    used_.insert(&meaning);
    if (meaning.kind == Node::Kind::Scalar) return set_description(node, meaning.text);
    if (const Node* const itself = config::expect_map(meaning, path).find(kItself)) set_description(node, itself->text);
    for (Node* const map : maps_of(node)) {
      for (Node& property : map->find("properties")->children) {
        const std::string key = path + "." + property.key;
        const Node* const own = meaning.find(property.key);
        if (!own && property.find("description")) continue;  // a key of every file
        if (!own) throw config::error_at(meaning.place, key, "has no meaning here; add one");
        describe(property, *own, key);
      }
    }
    if (Node* const map = free_map_of(node)) describe_free(*map, meaning, path);
  }
  // Keys of a free map that keys.yaml names are listed; all have the schema of the free keys.
  void describe_free(Node& map, const Node& meaning, const std::string& path) {
    Node* const free = map.find("additionalProperties");
    const Node value = *free;
    const Node* const own = map.find("properties");
    Node properties = own ? *own : config::map_node();
    for (const Node& each : meaning.children) {
      if (each.key == kItself || properties.find(each.key)) continue;
      Node described = value;
      describe(described, each, path + "." + each.key);
      if (each.key != kFreeKeys) properties.set(each.key, described);
      if (each.key == kFreeKeys) *free = std::move(described);
    }
    if (!properties.children.empty()) map.set("properties", std::move(properties));
    if (!meaning.find(kFreeKeys)) config::schema::close(map);
  }
  void require_all_used(const Node& node, const std::string& path) const {
    for (const Node& each : node.children) {
      const std::string key = path.empty() ? each.key : path + "." + each.key;
      if (each.key != kItself && used_.count(&each) == 0) {
        throw config::error_at(each.place, key, "is not a key that weft reads; remove it");
      }
      require_all_used(each, key);
    }
  }

  const Node& file_;
  std::set<const Node*> used_;
};

Node kernel_schema() {
  std::vector<Node> all;
  for (const design::Design* const each : design::designs()) all.push_back(each->describe_kernel());
  return config::schema::any_of(std::move(all));
}

Node exploration_schema() {
  std::vector<Node> all;
  for (const design::Design* const each : design::designs()) {
    if (each->explorer()) all.push_back(each->explorer()->describe());
  }
  return config::schema::any_of(std::move(all));
}

Node rtl_faults_schema() {
  std::vector<Node> all;
  for (const design::RtlDesign& each : design::rtl_designs()) {
    if (each.cosim) all.push_back(cosim::describe_mutants(*each.cosim));
  }
  return config::schema::any_of(std::move(all));
}

// The keys that config::load_file() takes from a file of every kind.
void file_fields(config::MapIo& io, std::vector<config::Input>& inputs) {
  io.mention("kind");
  io.mention(kExtends);
  io.map_list("inputs", config::Need::Optional, inputs,
              [](config::MapIo& sub, config::Input& input) { fields(sub, input); });
}

}  // namespace

std::vector<FileSchema> file_schemas(const config::Library& library) {
  using config::schema::any_of;
  std::vector<FileSchema> all{
      {"run", "runs, timeline", config::describe_run()},
      {"board", "boards", config::describe_board()},
      {"kernel", "kernels", kernel_schema()},
      {"host", "hosts", config::describe_host()},
      {"network", "networks", config::describe_network()},
      {"sweep", "sweeps", sweep::Definition::describe()},
      {"dse", "dse", exploration_schema()},
      {"validate", "validate", any_of({validate::describe_validate(), validate::describe_link_validation()})},
      {"train", "train", train::describe_train()},
      {"cluster", "clusters", any_of({cluster::describe_array(), cluster::describe_nada()})},
      {"training", "networks", training::describe_restoration(), false},
      {"model_faults", "mutants", mutation::describe_model_faults(), false},
      {"rtl_faults", "cosim", rtl_faults_schema(), false}};
  const Node keys = config::parse_file(library.configs / "keys.yaml");
  Meanings meanings(keys);
  Node file = config::describe_map(std::vector<config::Input>(), file_fields);
  meanings.describe(file, "file");
  for (FileSchema& each : all) {
    if (each.of_kind) {
      for (Node* const map : maps_of(each.schema)) {
        for (const Node& key : file.find("properties")->children) map->find("properties")->set(key.key, key);
      }
    }
    meanings.describe(each.schema, each.kind);
    Node whole = config::map_node();
    whole.set("$schema", scalar_node("https://json-schema.org/draft/2020-12/schema", true));
    whole.set("title", scalar_node(fmt::format("weft: {}", each.kind), true));
    for (const Node& child : each.schema.children) whole.set(child.key, child);
    each.schema = std::move(whole);
  }
  meanings.require_all_used();
  return all;
}

namespace {

std::string json_quoted(const std::string& text) {
  std::string out = "\"";
  for (const char each : text) out += each == '"' || each == '\\' ? std::string("\\") + each : std::string(1, each);
  return out + "\"";
}

void append(std::string& out, const Node& node, const std::string& indent) {
  const bool map = node.kind == Node::Kind::Map;
  if (node.kind == Node::Kind::Scalar || node.kind == Node::Kind::Null) {
    out += node.quoted ? json_quoted(node.text) : node.text;
    return;
  }
  if (node.children.empty()) {
    out += map ? "{}" : "[]";
    return;
  }
  const std::string deeper = indent + "  ";
  out += map ? "{" : "[";
  const char* separator = "\n";
  for (const Node& child : node.children) {
    out += separator + deeper + (map ? json_quoted(child.key) + ": " : "");
    append(out, child, deeper);
    separator = ",\n";
  }
  out += "\n" + indent + (map ? "}" : "]");
}

}  // namespace

std::string json_of(const Node& node) {
  std::string out;
  append(out, node, "");
  return out + "\n";
}

}  // namespace weft::tools
