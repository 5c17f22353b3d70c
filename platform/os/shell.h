#pragma once

#include <string>

namespace weft::os {

// `text` as one word of a shell's command.
std::string shell_word(const std::string& text);

}  // namespace weft::os
