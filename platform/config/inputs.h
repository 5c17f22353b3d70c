#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "platform/record/record.h"

namespace weft::config {

// A file that a result was made from.
struct Input {
  std::string path;  // configs/... of the project's; of others below the current directory relative to it, or absolute
  std::string digest;          // digest_of_file() when it was read
  std::filesystem::path file;  // absolute
  bool composed = false;       // what it says stands in the resolved configuration
};
using Inputs = std::vector<Input>;
void fields(record::Visitor& io, Input& input);
// The key `inputs` of every result; earlier results have none.
void inputs_field(record::Visitor& io, std::optional<Inputs>& inputs);

// FNV-1a of the file's bytes, 64 bits in hexadecimal; nothing if it is no regular file that can be read.
std::optional<std::string> digest_of_file(const std::filesystem::path& file);

inline constexpr const char* kShipped = "configs/";  // begins paths of the project's own files

// Where a result folder has its copy of an input.
std::string kept_path(const Input& input);

// A resolved configuration as a result in `folder` has it: with paths relative to the folder where both are below the
// current directory, or of the copies there if these are `kept`, and with the digests of the files that it needs.
std::string saved_yaml(const std::string& yaml, const std::filesystem::path& folder, const Inputs& inputs, bool kept);

}  // namespace weft::config
