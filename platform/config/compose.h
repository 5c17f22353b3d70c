#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "platform/config/inputs.h"
#include "platform/config/node.h"

namespace weft::config {

// What a file describes; a name is looked for among files of its kind.
enum class FileKind { Run, Board, Kernel, Network, Host, Sweep, Dse, Validate, Train, Cluster };

const char* kind_word(FileKind kind);    // "run", ...: for messages
const char* kind_folder(FileKind kind);  // "runs", ...
// That folder first; runs made for their timelines have one of their own.
std::vector<std::string> kind_folders(FileKind kind);

// The kind of a file by the keys that only one kind has; nothing if it has none of these.
std::optional<FileKind> kind_by_keys(const Node& file);

// Where the project's own files are: configs/ with a folder for each kind. Copies of it note the files that were read
// in one list.
struct Library {
  std::filesystem::path configs;
  std::shared_ptr<Inputs> inputs = nullptr;  // in the order that they were read; null: nobody asks

  std::vector<std::string> names(FileKind kind) const;  // sorted, without extension
  // Before the file is read. False if it is in the list.
  bool note(const std::filesystem::path& path, bool composed = false) const;
  // Takes `inputs` out of the file at `path`, as saved_yaml() wrote it, and warns of those that have changed.
  void check_inputs(Node& file, const std::filesystem::path& path) const;
};

Library project_library();  // this project's configs/

// Which kind of configuration a file is: as its key `kind` says, else by the keys that only one kind has, else by what
// it extends or the folder that it lies in; a run, if nothing tells. Throws InputError if it is no YAML.
FileKind kind_of_file(const std::filesystem::path& path, const Library& library);

// The file `text` means when written at `place`: a path (it has a '/' or ends in .yaml) relative to the naming file, or
// a name: beside the naming file (<kind>/NAME.yaml, ../<kind>/NAME.yaml, NAME.yaml), then in the library. Throws at
// `place` if there is none. `self` (may be empty) is never meant: a file may extend its namesake of the library.
std::filesystem::path find_file(FileKind kind, const std::string& text, const Place& place, const std::string& key,
                                const Library& library);

// A file with `extends` merged in (of the same kind, deeply) and, for a run, `board`, `kernel`, `network` and `host`
// files read in place of their names, and the board's `default_host`.
Node load_file(FileKind kind, const std::filesystem::path& path, const Library& library);

// One `--set a.b.c=value`, or another option that stands for one: `option` is how messages name it.
struct Override {
  std::string key;
  std::string value;
  std::string option;
  bool literal = false;  // a text as it stands, not YAML
};

// Whether `text` is a key: words (letters, digits and _) joined by dots.
bool is_key(const std::string& text);

// Parses "a.b.c=value". Throws Error.
Override parse_override(const std::string& text);

// `overlay` over `base`: maps merge deeply, everything else is replaced. A board, kernel or host given by name
// replaces; a memory of another kind replaces; one with another data rate replaces the timings too; a network replaces
// a convolution and the reverse. `key` is where both stand.
Node merge(Node base, const Node& overlay, const std::string& key);

// What `merge` lays over a file of `kind` to give `key` (dotted) the value: nested maps around it, with the files that
// it names read.
Node overlay_of(FileKind kind, const std::string& key, Node value, const Library& library);

// Applies the overrides, in order, to a loaded file of `kind`.
Node apply(Node node, FileKind kind, const std::vector<Override>& overrides, const Library& library);

// A file about a run (an exploration, a validation): `run` names the run, or is one; `set` changes it; all other keys
// are its own.
struct Study {
  Node file;                            // with the overrides of its own keys applied
  std::vector<Override> run_overrides;  // the others

  // The run, changed by `set` and the overrides. Throws InputError.
  Node composed_run(const Library& library) const;
  // Whether the overrides take another network than the file is about: what it says is published is not about that.
  bool another_network() const;
};

// The study `name_or_path` of `kind`. An override whose key begins with the folder of that kind ("dse.", "validate.")
// is of its own keys; every other is of its run. Throws InputError.
Study load_study(FileKind kind, const std::string& name_or_path, const std::vector<Override>& overrides,
                 const Library& library);

// The study of `kind` that is about one run and says nothing else: the overrides as above. Throws InputError.
Study study_of_run(FileKind kind, const std::filesystem::path& run, const std::vector<Override>& overrides,
                   const Library& library);

}  // namespace weft::config
