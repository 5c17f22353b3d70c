#pragma once

#include <string>

#include "platform/studies/sweep/store.h"

namespace weft::sweep {

// An outcome as bytes between processes of one build: words as they lie in memory, texts and lists behind their length.
// Most of what a short point costs was once a general format here.
std::string encode(const Outcome& outcome);
// Throws Error if the bytes are not what encode() makes.
Outcome decode(const std::string& bytes);

}  // namespace weft::sweep
