#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "platform/config/inputs.h"
#include "platform/config/node.h"

namespace weft::config {

// Kind of a configuration file; a name is searched among the files of its kind.
enum class FileKind { Run, Board, Kernel, Network, Host, Sweep, Dse, Validate, Train, Cluster };

const char* kind_word(FileKind kind);    // "run", ...; for messages
const char* kind_folder(FileKind kind);  // "runs", ...
// Returns kind_folder() first; runs of timelines have a folder of their own.
std::vector<std::string> kind_folders(FileKind kind);

// Returns the kind of a file by keys that only one kind has; nothing if it has none of these.
std::optional<FileKind> kind_by_keys(const Node& file);

// Folder of the project's own files: configs/ with a folder for each kind. Copies of a Library share one list of the
// files that were read.
struct Library {
  std::filesystem::path configs;
  std::shared_ptr<Inputs> inputs = nullptr;  // in the order of reading; null: not recorded

  std::vector<std::string> names(FileKind kind) const;  // sorted, without extension
  // Records a file once; to be called before it is read.
  void note(const std::filesystem::path& path, bool composed = false) const;
  // Removes `inputs`, as written by saved_yaml(), from the file at `path`. Throws InputError if an input whose contents
  // are not in the file has changed.
  void check_inputs(Node& file, const std::filesystem::path& path) const;
};

Library project_library();  // this project's configs/

// True for a file of layers that the workloads or read_topology() read: .onnx, .csv.
bool is_network_file(const std::filesystem::path& path);

// Returns the kind of a configuration file: from its key `kind`, else from keys that only one kind has, else from the
// file that it extends or its folder, else Run. Throws InputError if it is no YAML.
FileKind kind_of_file(const std::filesystem::path& path, const Library& library);

// Returns the file that `text` names at `place`: a path (with a '/' or ending in .yaml) relative to the file of
// `place`, or a name, searched next to that file (<kind>/NAME.yaml, ../<kind>/NAME.yaml, NAME.yaml), then in the
// library; never that file itself, which may extend its namesake of the library. Throws at `place` if there is none.
std::filesystem::path find_file(FileKind kind, const std::string& text, const Place& place, const std::string& key,
                                const Library& library);

// Reads a file with `extends` merged in (of the same kind, deeply). In a run, the files of `board`, `kernel`,
// `network`, `host` and the board's `default_host` replace their names.
Node load_file(FileKind kind, const std::filesystem::path& path, const Library& library);

// One `--set a.b.c=value`, or an equivalent option. `option`: its name in messages.
struct Override {
  std::string key;
  std::string value;
  std::string option;
  bool literal = false;  // plain text, not YAML
};

// True if `text` is a key: words (letters, digits and _) joined by dots.
bool is_key(const std::string& text);

// Parses "a.b.c=value". Throws Error.
Override parse_override(const std::string& text);

// Returns `overlay` over `base`: maps merge deeply, other values are replaced. A board, kernel or host given by name
// replaces the old one; so does a memory of another kind. Another data rate removes the timings; a network replaces a
// convolution and the reverse. `key`: dotted key of both.
Node merge(Node base, const Node& overlay, const std::string& key);

// Returns the overlay for merge() that sets `key` (dotted) of a file of `kind` to the value: nested maps around it,
// with the files that it names read in.
Node overlay_of(FileKind kind, const std::string& key, Node value, const Library& library);

// Applies the overrides, in order, to a loaded file of `kind`. Keys of a kernel, a board or a host may begin with
// "kernel.", "board." or "host.", as in a run.
Node apply(Node node, FileKind kind, const std::vector<Override>& overrides, const Library& library);

// A file about a run (an exploration, a validation): `run` names or contains the run, `set` changes it; all other keys
// are the experiment's own.
struct Experiment {
  Node file;                            // with the overrides of its own keys applied
  std::vector<Override> run_overrides;  // the other overrides

  // Returns the run, changed by `set` and the overrides. Throws InputError.
  Node composed_run(const Library& library) const;
  // True if the overrides select another network than the file's: its published values do not apply then.
  bool another_network() const;
};

// Loads the experiment `name_or_path` of `kind`. An override whose key begins with the folder of that kind ("dse.",
// "validate.") sets a key of the experiment; every other one sets a key of its run. Throws InputError.
Experiment load_experiment(FileKind kind, const std::string& name_or_path, const std::vector<Override>& overrides,
                           const Library& library);

// Returns an experiment of `kind` about one run, without keys of its own; overrides as above. Throws InputError.
Experiment experiment_of_run(FileKind kind, const std::filesystem::path& run, const std::vector<Override>& overrides,
                             const Library& library);

}  // namespace weft::config
