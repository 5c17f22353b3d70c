#include "platform/config/inputs.h"

#include <fmt/core.h>

#include <algorithm>
#include <system_error>

#include "model/core/fnv1a.h"
#include "platform/config/compose.h"
#include "platform/config/reader.h"
#include "platform/os/content.h"
#include "platform/record/result_dir.h"

namespace weft::config {

namespace fs = std::filesystem;

namespace {

bool shipped(const std::string& path) {
  return path.rfind(kShipped, 0) == 0;
}

// Returns the path of `file` relative to the folder; empty if it is not below the folder.
std::string below(const fs::path& file, const fs::path& folder) {
  const fs::path relative = file.lexically_relative(folder);
  return relative.empty() || *relative.begin() == ".." ? "" : relative.string();
}

void set_path(Node& node, const std::string& path) {
  node.text = path;
  node.quoted = true;
}

// Replaces the path of the input (of a result of weft dse: also its folder) in every value.
void rename(Node& node, const Input& input, const std::string& path) {
  const fs::path given(node.text);
  if (given.is_absolute() && (given == input.file || given / record::kResultJson == input.file)) set_path(node, path);
  for (Node& child : node.children) rename(child, input, path);
}

Node item_of(const Input& input, const std::string& path) {
  Node item = map_node();
  item.set("path", scalar_node(path, true));
  item.set("digest", scalar_node(input.digest, true));
  if (input.composed) item.set("contained", scalar_node("true"));
  return item;
}

// Replaces the name of a network of the project in a run, or in the run of a study.
void rename_network(Node& node, const Input& input, const std::string& path) {
  for (Node* const run : {&node, node.find("run")}) {
    Node* const network = run ? run->find("network") : nullptr;
    if (network && network->text + ".onnx" == input.file.filename()) set_path(*network, path);
  }
}

}  // namespace

void fields(record::Visitor& io, Input& input) {
  io("path", "configs/... for a file of weft; else relative to the current directory if below it, or absolute",
     input.path);
  io("digest", "FNV-1a hash of the file, 64 bits in hexadecimal", input.digest);
}

void fields(MapIo& io, Input& input) {
  io.text("path", input.path, Need::Required);
  io.text("digest", input.digest, Need::Required);
  io.boolean("contained", input.composed);
}

void inputs_field(record::Visitor& io, std::optional<Inputs>& inputs) {
  io.list("inputs", "input files of the result", "", "a file, as it was read", inputs);
}

std::optional<std::string> digest_of_file(const fs::path& file) {
  const std::optional<std::string> bytes = os::content_of_regular(file);
  if (!bytes) return std::nullopt;
  Fnv1a64 digest;
  digest.add_bytes(*bytes);
  return fmt::format("{:016x}", digest.value());
}

void Library::note(const fs::path& path, bool composed) const {
  if (!inputs) return;
  const fs::path file = fs::absolute(path).lexically_normal();
  if (std::any_of(inputs->begin(), inputs->end(), [&](const Input& each) { return each.file == file; })) return;
  const std::optional<std::string> digest = digest_of_file(file);
  if (!digest) return;
  const std::string own = below(file, configs), here = below(file, fs::current_path());
  const std::string other = here.empty() || shipped(here) ? file.string() : here;
  inputs->push_back({own.empty() ? other : kShipped + own, *digest, file, composed});
}

void Library::check_inputs(Node& file, const fs::path& path) const {
  const Node* const saved = file.find("inputs");
  if (!saved) return;
  for (const Node& item : expect_list(*saved, "inputs").children) {
    Input input;
    MapReader reader(item, "inputs");
    fields(reader, input);
    reader.finish();
    if (input.composed) continue;
    const fs::path given = shipped(input.path) ? configs / input.path.substr(std::string(kShipped).size())
                                               : (path.parent_path() / input.path).lexically_normal();
    const std::optional<std::string> digest = digest_of_file(given);
    if (!digest || *digest == input.digest) continue;
    throw error_at(
        item.place, "inputs",
        fmt::format("'{}' has changed: its digest is {}, in the saved result {}; restore the file, or remove "
                    "this entry to use the file as it is now",
                    given.string(), *digest, input.digest));
  }
  file.erase("inputs");
}

std::string named_inputs(const std::string& yaml, const Inputs* inputs) {
  if (!inputs) return "";
  const auto has = [&](const std::string& text) { return yaml.find(text) != std::string::npos; };
  Node node = map_node(), list = list_node();
  for (const Input& input : *inputs) {
    const fs::path named = input.file.filename() == record::kResultJson ? input.file.parent_path() : input.file;
    const bool network = shipped(input.path) && has(fmt::format("\nnetwork: {}\n", named.stem().string()));
    if (!network && !has(named.string())) continue;
    list.children.push_back(item_of(input, shipped(input.path) ? input.path : input.file.string()));
  }
  if (list.children.empty()) return "";
  node.set("inputs", std::move(list));
  return "\n" + to_yaml(node);
}

std::string kept_path(const Input& input) {
  return (fs::path("inputs") / fs::path(input.path).relative_path()).string();
}

std::string saved_yaml(const std::string& yaml, const fs::path& folder, const Inputs& inputs, bool kept) {
  Node node = parse_yaml(yaml, std::make_shared<Source>());
  // The parent of a path through a symbolic link is not the one that the path shows.
  std::error_code code;
  const bool near = !below(folder, fs::current_path()).empty() && fs::weakly_canonical(folder, code) == folder;
  Node list = list_node();
  for (const Input& input : inputs) {
    const bool moves_along = near && !below(input.file, fs::current_path()).empty();
    std::string path = moves_along ? input.file.lexically_relative(folder).string() : input.file.string();
    if (kept) path = kept_path(input);
    if (kept || !shipped(input.path)) rename(node, input, path);
    if (kept && shipped(input.path)) rename_network(node, input, path);
    list.children.push_back(item_of(input, shipped(input.path) && !kept ? input.path : path));
  }
  if (!list.children.empty()) node.set("inputs", std::move(list));
  return to_yaml(node);
}

}  // namespace weft::config
