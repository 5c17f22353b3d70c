#pragma once

#include <filesystem>

#include "workloads/graph/restoration.h"

namespace weft::training {

// Where what was taken from a network's file is said: NAME.training.yaml beside NAME.onnx.
std::filesystem::path restoration_path(const std::filesystem::path& onnx);

// Reads such a file. Throws InputError (file, line, key) for unknown keys, what is missing and values out of range;
// whether its names fit the network is for workloads::restore() to say, at the places it notes.
workloads::Restoration read_restoration(const std::filesystem::path& path);

}  // namespace weft::training
