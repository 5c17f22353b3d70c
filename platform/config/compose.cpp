#include "platform/config/compose.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <system_error>

#include "model/core/text.h"
#include "model/memory/speed_bin.h"
#include "platform/config/reader.h"
#include "platform/config/run_config.h"
#include "platform/os/data_root.h"

namespace weft::config {

namespace fs = std::filesystem;

namespace {

constexpr int kMaxExtends = 16;
constexpr const char* kKindKey = "kind";
constexpr std::array kKinds{FileKind::Dse,  FileKind::Train, FileKind::Validate, FileKind::Sweep,  FileKind::Cluster,
                            FileKind::Host, FileKind::Board, FileKind::Run,      FileKind::Kernel, FileKind::Network};

bool has_any(const Node& file, std::initializer_list<const char*> keys) {
  return std::any_of(keys.begin(), keys.end(), [&](const char* key) { return file.find(key) != nullptr; });
}

// True if the file has a network of layers; a board's `network` has connectors.
bool has_network(const Node& file) {
  const Node* const network = file.find("network");
  return network && !(network->kind == Node::Kind::Map && network->find("connector"));
}

// True if the file has a key that distinguishes this kind from the kinds that it may be mistaken for.
bool has_keys_of(FileKind kind, const Node& file) {
  switch (kind) {
    case FileKind::Dse: {
      const Node* const space = file.find("space");  // of arrays or tiles, or of a run's keys
      return has_any(file, {"budget", "penalties_percent", "sharing", "compare_reading", "minimize", "watts"}) ||
             (space && has_any(*space, {"max_x", "max_y", "min_pes", "max_pes", "r", "c", "p"}));
    }
    case FileKind::Train:
      return has_any(file, {"policy", "switch_epochs", "diversities", "fp32_alone_epochs", "muppet", "gm", "pruning"});
    case FileKind::Validate:
      return has_any(file, {"runs", "kernels", "rungs", "tolerance_percent", "worst", "baseline", "link"});
    case FileKind::Sweep:
      return has_any(file, {"where", "objectives", "constraints", "space"});
    case FileKind::Cluster:
      return has_any(file, {"boards", "fpdeep", "nada"});
    case FileKind::Board:
      // A kernel may have `assumed`, too; it then names its design.
      return has_any(file, {"slrs", "dsp", "bram36", "m20k", "uram", "part", "pcie"}) ||
             (file.find("assumed") && !file.find("design"));
    case FileKind::Run:
      return has_any(file, {"board", "kernel", "convolution", "batch", "rung"}) || has_network(file);
    case FileKind::Kernel:
      return has_any(file, {"design", "array", "profile", "clock_mhz", "fifo"});
    case FileKind::Network:
      return has_any(file, {"layers"});
    case FileKind::Host:
      return has_any(file, {"peak_gflops", "operators", "calls", "im2col_gbytes_per_s", "measured"});
  }
  return false;
}

bool is_study(FileKind kind) {
  return kind == FileKind::Sweep || kind == FileKind::Dse || kind == FileKind::Validate || kind == FileKind::Train;
}

// Returns "a run", "an exploration".
std::string one(FileKind kind) {
  return fmt::format("{} {}", kind == FileKind::Dse ? "an" : "a", kind_word(kind));
}

// Returns advice for a file of this kind that was given in place of another.
std::string advice(FileKind kind, FileKind wanted, const std::string& name) {
  switch (kind) {
    case FileKind::Run:
      return ": use weft run " + name;
    case FileKind::Sweep:
      return ": use weft sweep " + name;
    case FileKind::Dse:
      return ": use weft dse " + name;
    case FileKind::Validate:
      return ": use weft validate " + name;
    case FileKind::Train:
      return ": use weft train " + name;
    case FileKind::Cluster:
      return ": use weft plan " + name;
    case FileKind::Network:
      if (wanted == FileKind::Run) return fmt::format(": use weft run default --set network={}", name);
      break;
    case FileKind::Board:
    case FileKind::Kernel:
    case FileKind::Host:
      break;
  }
  if (wanted != FileKind::Run) return ": give the name or the file of " + one(wanted);
  return fmt::format(": set it in a run, as in weft run googlenet-u250 --set {}={}", kind_word(kind), name);
}

// Refuses a file with keys of another kind: the reader would only report its first key as unknown.
void check_kind(FileKind wanted, const Node& file, const fs::path& path) {
  const std::optional<FileKind> kind = kind_by_keys(file);
  // The keys of an experiment whose run, or of a cluster whose base, is in another file may be any.
  const bool of_other =
      (is_study(wanted) && has_any(file, {"run", "runs"})) || (wanted == FileKind::Cluster && file.find("extends"));
  if (!kind || *kind == wanted || has_keys_of(wanted, file) || of_other) return;
  throw InputError(path.string(), 0, "",
                   fmt::format("is {}, not {}{}", one(*kind), one(wanted), advice(*kind, wanted, path.string())));
}

// Returns the kind in the file's key `kind`.
std::optional<FileKind> said_kind(const Node& file) {
  static const std::vector<std::string> kNames{"run",   "board", "kernel",   "network", "host",
                                               "sweep", "dse",   "validate", "train",   "cluster"};  // as FileKind
  const Node* const kind = file.find(kKindKey);
  if (!kind) return std::nullopt;
  return static_cast<FileKind>(read_choice(*kind, kKindKey, kNames));
}

bool is_path(const std::string& text) {
  const fs::path path(text);
  return text.find('/') != std::string::npos || path.extension() == ".yaml" || path.extension() == ".yml";
}

bool present(const fs::path& path) {
  std::error_code code;
  return fs::exists(path, code);
}

bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code code;
  return fs::equivalent(a, b, code);
}

// Files that are being read, outermost first, to detect and name a cycle.
using Stack = std::vector<fs::path>;

std::string dotted(const std::string& prefix, const std::string& key) {
  return prefix.empty() ? key : prefix + "." + key;
}

Node load(FileKind kind, const fs::path& path, const std::string& key, const Library& library, Stack& stack);

// Returns `map` merged over the file that it extends.
Node with_extends(FileKind kind, Node map, const std::string& key, const Library& library, Stack& stack) {
  const Node* extends = map.find("extends");
  if (!extends) return map;
  const std::string extends_key = dotted(key, "extends");
  const Place place = extends->place;
  const fs::path path = find_file(kind, read_text(*extends, extends_key), place, extends_key, library);
  for (const fs::path& open : stack) {
    if (same_file(open, path)) {
      throw error_at(place, extends_key, fmt::format("'{}' extends itself via this key; remove it", path.string()));
    }
  }
  if (stack.size() > kMaxExtends) {
    throw error_at(place, extends_key, fmt::format("more than {} files extend each other", kMaxExtends));
  }
  Node base = load(kind, path, key, library, stack);
  // A file has a name of its own; a map within a run keeps that of its base unless it gives one. A board of another
  // name is another part.
  if (!stack.empty() || map.find("name")) {
    for (const char* of_base : {"name", "title"}) base.erase(of_base);
    if (kind == FileKind::Board) {
      for (const char* of_base : {"part", "slrs"}) {
        base.erase(of_base);
        Node* const assumed = base.find("assumed");
        if (!assumed) continue;
        auto& keys = assumed->children;
        keys.erase(std::remove_if(keys.begin(), keys.end(), [&](const Node& each) { return each.text == of_base; }),
                   keys.end());
      }
    }
  }
  map.erase("extends");
  Node whole = merge(std::move(base), map, key);
  whole.replaces = true;
  whole.key = map.key;
  return whole;
}

// Replaces the name of a board, kernel, network or host by its file. ONNX files and names of networks stay: the
// workloads know them. `key`: dotted key of the entry in the run.
void resolve(Node& parent, const std::string& entry, const std::string& key, FileKind kind, const Library& library) {
  Node* value = parent.find(entry);
  if (!value) return;
  if (value->kind == Node::Kind::Scalar) {
    const fs::path named(value->text);
    if (kind == FileKind::Network && named.extension() != ".yaml" && named.extension() != ".yml") return;
    Stack stack;
    Node loaded = load(kind, find_file(kind, value->text, value->place, key, library), key, library, stack);
    loaded.key = entry;
    loaded.replaces = true;
    *value = std::move(loaded);
  } else if (value->kind == Node::Kind::Map) {
    Stack stack;
    *value = with_extends(kind, std::move(*value), key, library, stack);
  }
}

void resolve_all(Node& run, const Library& library) {
  if (run.kind != Node::Kind::Map) return;
  resolve(run, "board", "board", FileKind::Board, library);
  resolve(run, "kernel", "kernel", FileKind::Kernel, library);
  resolve(run, "network", "network", FileKind::Network, library);
  resolve(run, "host", "host", FileKind::Host, library);
  // Resolved while the file that names the host is known: the board may be replaced later, and its host with it.
  Node* const board = run.find("board");
  if (board && board->kind == Node::Kind::Map) {
    resolve(*board, kDefaultHostKey, "board.default_host", FileKind::Host, library);
  }
}

// `assumed` must name keys of its own file or of its base: a misspelt one would mark nothing.
void check_assumed(const Node& file, const std::string& key) {
  const Node* assumed = file.find("assumed");
  if (!assumed || assumed->kind != Node::Kind::List) return;
  for (const Node& item : assumed->children) {
    if (!find_path(file, item.text))
      throw error_at(item.place, dotted(key, "assumed"),
                     fmt::format("names '{}', which is not given here; name only given keys", item.text));
  }
}

Node load(FileKind kind, const fs::path& path, const std::string& key, const Library& library, Stack& stack) {
  if (is_network_file(path)) {
    throw InputError(path.string(), 0, "",
                     fmt::format("is a network, not {}{}", one(kind), advice(FileKind::Network, kind, path.string())));
  }
  library.note(path, true);
  Node node = parse_file(path);
  if (node.kind != Node::Kind::Map) {
    throw error_at(node.place, key,
                   fmt::format("a {} file is a map of keys and values, not {}", kind_word(kind), describe(node)));
  }
  library.check_inputs(node, path);
  if (const auto said = said_kind(node)) {
    if (*said != kind) {
      throw error_at(
          node.find(kKindKey)->place, dotted(key, kKindKey),
          fmt::format("the file is {}, not {}{}", one(*said), one(kind), advice(*said, kind, path.string())));
    }
    node.erase(kKindKey);
  } else if (stack.empty()) {
    check_kind(kind, node, path);
  }
  stack.push_back(path);
  if (kind == FileKind::Run) resolve_all(node, library);
  node = with_extends(kind, std::move(node), key, library, stack);
  stack.pop_back();
  if (!node.find("name")) node.set("name", scalar_node(path.stem().string(), true));
  if (kind == FileKind::Board || kind == FileKind::Host || kind == FileKind::Cluster) check_assumed(node, key);
  return node;
}

// Returns the prefix of keys in messages: "" for files that a command takes, the name of a part of a run.
std::string root_key(FileKind kind) {
  return kind == FileKind::Run || kind == FileKind::Cluster || is_study(kind) ? "" : kind_word(kind);
}

bool is_memory(const std::string& key) {
  return key == "memory" || key == "board.memory";
}

// True if the overlay has another kind of memory: keys of the old kind are not valid for it.
bool replaces_memory(const Node& base, const Node& overlay, const std::string& key) {
  if (!is_memory(key)) return false;
  const Node* old_kind = base.find("kind");
  const Node* new_kind = overlay.find("kind");
  return old_kind && new_kind && old_kind->text != new_kind->text;
}

bool by_option(const Node& node) {
  return node.place.source && node.place.source->option;
}

bool same_rate(const Node& a, const Node& b) {
  const auto rate_a = parse_exact(a.text), rate_b = parse_exact(b.text);
  return rate_a && rate_b && memory::exact_rate(*rate_a) == memory::exact_rate(*rate_b);
}

// Removes timings of the base if the overlay has another data rate: they count clocks of the old one. Timings and a
// rate that both come from options stay, in any order on the command line.
void drop_timings_of_another_rate(Node& base, const Node& overlay) {
  const Node* old_rate = base.find("data_rate_mtps");
  const Node* new_rate = overlay.find("data_rate_mtps");
  Node* timings = base.find("timing_nCK");
  if (!old_rate || !new_rate || !timings || same_rate(*old_rate, *new_rate)) return;
  auto& given = timings->children;
  const auto stays = [&](const Node& timing) { return by_option(timing) && by_option(*new_rate); };
  given.erase(std::remove_if(given.begin(), given.end(), [&](const Node& timing) { return !stays(timing); }),
              given.end());
  timings->place = new_rate->place;
}

}  // namespace

std::optional<FileKind> kind_by_keys(const Node& file) {
  for (const FileKind kind : kKinds) {
    if (has_keys_of(kind, file)) return kind;
  }
  return std::nullopt;
}

const char* kind_word(FileKind kind) {
  switch (kind) {
    case FileKind::Run:
      return "run";
    case FileKind::Board:
      return "board";
    case FileKind::Kernel:
      return "kernel";
    case FileKind::Sweep:
      return "sweep";
    case FileKind::Dse:
      return "exploration";
    case FileKind::Validate:
      return "validation";
    case FileKind::Train:
      return "training";
    case FileKind::Cluster:
      return "cluster";
    case FileKind::Host:
      return "host";
    case FileKind::Network:
      break;
  }
  return "network";
}

const char* kind_folder(FileKind kind) {
  switch (kind) {
    case FileKind::Run:
      return "runs";
    case FileKind::Board:
      return "boards";
    case FileKind::Kernel:
      return "kernels";
    case FileKind::Sweep:
      return "sweeps";
    case FileKind::Dse:
      return "dse";
    case FileKind::Validate:
      return "validate";
    case FileKind::Train:
      return "train";
    case FileKind::Cluster:
      return "clusters";
    case FileKind::Host:
      return "hosts";
    case FileKind::Network:
      break;
  }
  return "networks";
}

std::vector<std::string> kind_folders(FileKind kind) {
  if (kind == FileKind::Run) return {kind_folder(kind), "timeline"};
  return {kind_folder(kind)};
}

std::vector<std::string> Library::names(FileKind kind) const {
  std::vector<std::string> names;
  std::error_code code;
  for (const std::string& folder : kind_folders(kind)) {
    for (const auto& entry : fs::directory_iterator(configs / folder, code)) {
      const fs::path stem = entry.path().stem();
      // NAME.training.yaml is about the network in a file next to it.
      if (entry.path().extension() == ".yaml" && stem.extension() != ".training") names.push_back(stem.string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

Library project_library() {
  return {os::data_root() / "configs", std::make_shared<Inputs>()};
}

bool is_network_file(const fs::path& path) {
  return path.extension() == ".onnx" || path.extension() == ".csv";
}

FileKind kind_of_file(const fs::path& path, const Library& library) {
  if (is_network_file(path)) return FileKind::Network;
  const Node node = parse_file(path);
  if (const auto kind = said_kind(node)) return *kind;
  if (const auto kind = kind_by_keys(node)) return *kind;
  if (node.find("memory")) return FileKind::Board;
  // A file with keys of several kinds has the kind of the file that it extends, or of its folder.
  const Node* extends = node.find("extends");
  const std::string folder = fs::absolute(path).parent_path().filename().string();
  for (const FileKind kind : {FileKind::Board, FileKind::Host, FileKind::Kernel, FileKind::Dse, FileKind::Validate,
                              FileKind::Train, FileKind::Sweep, FileKind::Cluster}) {
    const std::vector<std::string> names = library.names(kind);
    if (extends && std::find(names.begin(), names.end(), extends->text) != names.end()) return kind;
    if (folder == kind_folder(kind)) return kind;
  }
  return FileKind::Run;
}

fs::path find_file(FileKind kind, const std::string& text, const Place& place, const std::string& key,
                   const Library& library) {
  const fs::path dir = place.source ? place.source->dir : fs::path();
  if (is_path(text)) {
    fs::path path = dir / text;
    if (!present(path)) throw error_at(place, key, fmt::format("no such file: '{}'", path.string()));
    return path;
  }
  const std::string file = text + ".yaml";
  const fs::path self = place.source ? fs::path(place.source->name) : fs::path();
  std::vector<fs::path> places;
  for (const std::string& folder : kind_folders(kind)) {
    places.insert(places.end(), {dir / folder / file, dir / ".." / folder / file});
  }
  places.push_back(dir / file);
  for (const std::string& folder : kind_folders(kind)) places.push_back(library.configs / folder / file);
  for (const fs::path& path : places) {
    if (present(path) && !same_file(path, self)) return path.lexically_normal();
  }
  // Parts of a run come first: some networks have an exploration of the same name.
  for (const FileKind other :
       {FileKind::Run, FileKind::Board, FileKind::Kernel, FileKind::Network, FileKind::Host, FileKind::Sweep,
        FileKind::Dse, FileKind::Validate, FileKind::Train, FileKind::Cluster}) {
    const std::vector<std::string> folders = kind_folders(other);
    const bool there = std::any_of(folders.begin(), folders.end(), [&](const std::string& folder) {
      const fs::path named = library.configs / folder / text;
      return present(named.string() + ".yaml") || present(named.string() + ".onnx");
    });
    if (other == kind || !there) continue;
    throw error_at(place, key,
                   fmt::format("'{}' is {}, not {}{}", text, one(other), one(kind), advice(other, kind, text)));
  }
  throw error_at(place, key,
                 fmt::format("there is no {} '{}'{}", kind_word(kind), text, suggestion(text, library.names(kind))));
}

Node load_file(FileKind kind, const fs::path& path, const Library& library) {
  Stack stack;
  return load(kind, path, root_key(kind), library, stack);
}

bool is_key(const std::string& text) {
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find('.', begin), text.size());
    const bool word = end > begin && std::all_of(text.begin() + static_cast<std::ptrdiff_t>(begin),
                                                 text.begin() + static_cast<std::ptrdiff_t>(end),
                                                 [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
    if (!word) return false;
    begin = end + 1;
  }
  return true;
}

Override parse_override(const std::string& text) {
  const auto equals = text.find('=');
  const auto fail = [&](const std::string& why) { return InputError("--set " + text, 0, "", why); };
  if (equals == std::string::npos) throw fail("must be KEY=VALUE, such as kernel.array.x=32");
  Override result{text.substr(0, equals), text.substr(equals + 1), "--set " + text};
  if (!is_key(result.key)) throw fail(fmt::format("'{}' is not a key; keys are words joined by dots", result.key));
  return result;
}

Node merge(Node base, const Node& overlay, const std::string& key) {
  if (overlay.kind != Node::Kind::Map || overlay.replaces) return overlay;
  if (key == "kernel.profile" && base.kind == Node::Kind::Scalar) {
    // Switches over a profile given by its name: the name becomes their base.
    Node map = map_node();
    map.key = base.key;
    map.place = base.place;
    map.set("base", base);
    base = std::move(map);
  }
  if (base.kind == Node::Kind::List && by_option(overlay)) {
    throw error_at(overlay.place, key, "is a list; set it as a whole, for instance to [1, 2]");
  }
  if (base.kind != Node::Kind::Map || replaces_memory(base, overlay, key)) return overlay;
  if (is_memory(key)) drop_timings_of_another_rate(base, overlay);
  // An error of the whole is best fixed in the file that requested it; an option only changes a part.
  if (overlay.place.source && !overlay.place.source->option) base.place = overlay.place;
  // One workload replaces the other; an overlay with both is an error that the reader reports.
  if (key.empty() && !overlay.find("convolution") && overlay.find("network")) base.erase("convolution");
  if (key.empty() && !overlay.find("network") && overlay.find("convolution")) base.erase("network");
  for (const Node& entry : overlay.children) {
    const Node* old = base.find(entry.key);
    base.set(entry.key, old ? merge(*old, entry, dotted(key, entry.key)) : entry);
  }
  return base;
}

Node overlay_of(FileKind kind, const std::string& key, Node value, const Library& library) {
  const Place place = value.place;
  std::string rest = key;
  // Wrapped from the innermost key outwards, an override is a small file and merges by the same rules.
  while (!rest.empty()) {
    const auto dot = rest.rfind('.');
    Node outer = map_node();
    outer.place = place;
    outer.set(dot == std::string::npos ? rest : rest.substr(dot + 1), std::move(value));
    value = std::move(outer);
    rest = dot == std::string::npos ? "" : rest.substr(0, dot);
  }
  if (kind == FileKind::Run) resolve_all(value, library);
  return value;
}

Node apply(Node node, FileKind kind, const std::vector<Override>& overrides, const Library& library) {
  const std::string root = root_key(kind);
  for (const Override& each : overrides) {
    const auto source = std::make_shared<Source>(Source{each.option, fs::path(), true});
    if (each.value.empty()) throw error_at({source, 0}, each.key, "has no value; give one");
    if (each.literal && find_unprintable(each.value) != std::string::npos) {
      throw error_at({source, 0}, each.key,
                     fmt::format("'{}' has a control character or an invisible character", printable(each.value)));
    }
    // A pattern may begin with a star, which YAML reads as an alias; an option has no anchors.
    const bool literal = each.literal || each.value[0] == '*';
    Node value = literal ? scalar_node(each.value, true) : parse_yaml(each.value, source);
    value.place = {source, 0};
    // A kernel, a board or a host also takes the keys of a run: kernel.array.x.
    const bool of_run = !root.empty() && each.key.rfind(root + ".", 0) == 0;
    const std::string key = of_run ? each.key.substr(root.size() + 1) : each.key;
    node = merge(std::move(node), overlay_of(kind, key, std::move(value), library), root);
  }
  return node;
}

Node Experiment::composed_run(const Library& library) const {
  const Node* run = file.find("run");
  if (!run) throw error_at(file.place, "run", "is missing; give the run with its network, board and batch");
  Node base;
  if (run->kind == Node::Kind::Map) {
    base = overlay_of(FileKind::Run, "", *run, library);
  } else {
    const auto path = find_file(FileKind::Run, read_text(*run, "run"), run->place, "run", library);
    base = load_file(FileKind::Run, path, library);
  }
  if (const Node* set = file.find("set")) {
    for (const Node& entry : expect_map(*set, "set").children) {
      base = merge(std::move(base), overlay_of(FileKind::Run, entry.key, entry, library), "");
    }
  }
  return apply(std::move(base), FileKind::Run, run_overrides, library);
}

bool Experiment::another_network() const {
  return std::any_of(run_overrides.begin(), run_overrides.end(), [](const Override& each) {
    const std::string head = each.key.substr(0, each.key.find('.'));
    return head == "network" || head == "convolution";
  });
}

namespace {

// Applies the overrides of the experiment's own keys to `file`, and keeps the others.
Experiment with_overrides(FileKind kind, Node file, const std::vector<Override>& overrides, const Library& library) {
  const std::string prefix = std::string(kind_folder(kind)) + ".";
  Experiment experiment;
  std::vector<Override> own;
  for (const Override& each : overrides) {
    if (each.key.rfind(prefix, 0) != 0) {
      experiment.run_overrides.push_back(each);
      continue;
    }
    own.push_back(each);
    own.back().key.erase(0, prefix.size());
  }
  experiment.file = apply(std::move(file), kind, own, library);
  return experiment;
}

}  // namespace

Experiment load_experiment(FileKind kind, const std::string& name_or_path, const std::vector<Override>& overrides,
                           const Library& library) {
  return with_overrides(kind, load_file(kind, locate(kind, name_or_path, library), library), overrides, library);
}

Experiment experiment_of_run(FileKind kind, const std::filesystem::path& run, const std::vector<Override>& overrides,
                             const Library& library) {
  Node file = map_node();
  file.place = {std::make_shared<Source>(Source{run.string(), std::filesystem::path(), false}), 0};
  Node path = scalar_node(std::filesystem::absolute(run).string(), true);
  path.place = file.place;
  file.set("run", std::move(path));
  return with_overrides(kind, std::move(file), overrides, library);
}

}  // namespace weft::config
