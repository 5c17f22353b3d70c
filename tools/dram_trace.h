#pragma once

#include <filesystem>

#include "model/memory/trace.h"

namespace weft::tools {

// A trace: one request a line, "R 0x1f40" or "W 0x1f80" (hexadecimal with 0x, or decimal); empty lines and lines that
// begin with # do not count. Throws InputError for anything else, for an address that is not a multiple of 64 or not
// below `capacity`, and for a trace without requests.
memory::Trace read_trace(const std::filesystem::path& path, Bytes capacity);

}  // namespace weft::tools
