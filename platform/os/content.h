#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace weft::os {

// Returns the contents of a file. A FIFO without a writer is empty. Throws Error if it cannot be read.
std::string content(const std::filesystem::path& path);

// Returns the contents of a regular file, such as a file of a cache; nothing if it is another kind of file or cannot be
// read. Never waits.
std::optional<std::string> content_of_regular(const std::filesystem::path& path);

// Returns the digest of a text: 128 bits in hexadecimal. Caches use it as the key of a product of the text.
std::string digest(const std::string& text);

// Returns the first line of a tool's log that mentions an error.
std::string first_error(const std::filesystem::path& log);

}  // namespace weft::os
