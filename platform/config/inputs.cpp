#include "platform/config/inputs.h"

#include <fmt/core.h>

#include <algorithm>
#include <system_error>

#include "model/core/fnv1a.h"
#include "platform/config/compose.h"
#include "platform/config/reader.h"
#include "platform/os/content.h"
#include "platform/os/standard_streams.h"

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
  if (given.is_absolute() && (given == input.file || given / "result.json" == input.file)) set_path(node, path);
  for (Node& child : node.children) rename(child, input, path);
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

bool Library::note(const fs::path& path, bool composed) const {
  if (!inputs) return true;
  const fs::path file = fs::absolute(path).lexically_normal();
  if (std::any_of(inputs->begin(), inputs->end(), [&](const Input& each) { return each.file == file; })) return false;
  const std::optional<std::string> digest = digest_of_file(file);
  if (!digest) return true;
  const std::string own = below(file, configs), here = below(file, fs::current_path());
  const std::string other = here.empty() || shipped(here) ? file.string() : here;
  inputs->push_back({own.empty() ? other : kShipped + own, *digest, file, composed});
  return true;
}

void Library::check_inputs(Node& file, const fs::path& path) const {
  const Node* const saved = file.find("inputs");
  if (!saved) return;
  for (const Node& item : expect_list(*saved, "inputs").children) {
    Input input;
    MapReader reader(item, "inputs");
    reader.text("path", input.path, Need::Required);
    reader.text("digest", input.digest, Need::Required);
    reader.finish();
    const fs::path given = shipped(input.path) ? configs / input.path.substr(std::string(kShipped).size())
                                               : (path.parent_path() / input.path).lexically_normal();
    const std::optional<std::string> digest = digest_of_file(given);
    if (!digest || *digest == input.digest) continue;
    os::say(
        fmt::format("weft: warning: {}: '{}' has changed: its digest is {}, in the saved result {}; weft uses the file "
                    "as it is now; restore the file to repeat the saved result\n",
                    path.string(), given.string(), *digest, input.digest));
  }
  file.erase("inputs");
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
    if (input.composed) continue;
    Node item = map_node();
    item.set("path", scalar_node(shipped(input.path) && !kept ? input.path : path, true));
    item.set("digest", scalar_node(input.digest, true));
    list.children.push_back(std::move(item));
  }
  if (!list.children.empty()) node.set("inputs", std::move(list));
  return to_yaml(node);
}

}  // namespace weft::config
