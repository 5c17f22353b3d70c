#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace weft::os {

// The whole of a file. A FIFO that nobody writes is empty. Throws Error if it cannot be read.
std::string content(const std::filesystem::path& path);

// The whole of a regular file, as a cache has them; nothing if something else is there or it cannot be read. Never
// waits.
std::optional<std::string> content_of_regular(const std::filesystem::path& path);

// Digest of a text: 128 bits in hexadecimal, by which caches name what is made from it.
std::string digest(const std::string& text);

// The first line of a tool's log that speaks of an error.
std::string first_error(const std::filesystem::path& log);

}  // namespace weft::os
