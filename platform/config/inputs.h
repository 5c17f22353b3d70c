#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "platform/record/record.h"

namespace weft::config {

class MapIo;

// A file that a result was made from.
struct Input {
  std::string path;    // configs/... of the project; else relative to the current directory if below it, else absolute
  std::string digest;  // digest_of_file() at the time of reading
  std::filesystem::path file;  // absolute
  bool composed = false;       // the resolved configuration has its contents
};
using Inputs = std::vector<Input>;
void fields(record::Visitor& io, Input& input);
void fields(MapIo& io, Input& input);  // as an item of the key `inputs` of a saved configuration
// Key `inputs` of every result; absent in older results.
void inputs_field(record::Visitor& io, std::optional<Inputs>& inputs);

// Returns FNV-1a of the file's bytes, 64 bits in hexadecimal; nothing if it is no regular file that can be read.
std::optional<std::string> digest_of_file(const std::filesystem::path& file);

inline constexpr const char* kShipped = "configs/";  // prefix of paths of the project's own files

// Returns the key `inputs` of a resolved run or cluster, with those that it names; empty if there are none.
std::string named_inputs(const std::string& yaml, const Inputs* inputs);

// Returns the path of the copy of an input in a result folder.
std::string kept_path(const Input& input);

// Returns a resolved configuration for a result in `folder`. Its paths are those of the copies if `kept`; else relative
// to the folder if both are below the current directory. It has the digests of all inputs.
std::string saved_yaml(const std::string& yaml, const std::filesystem::path& folder, const Inputs& inputs, bool kept);

}  // namespace weft::config
