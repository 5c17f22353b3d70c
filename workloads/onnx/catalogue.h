#pragma once

#include <string>
#include <vector>

#include "workloads/network.h"
#include "workloads/onnx/import.h"

namespace weft::workloads {

// The names of the networks in `search_dirs` (a network is <directory>/<name>.onnx), sorted, without repetitions.
std::vector<std::string> known_networks(const std::vector<std::string>& search_dirs);

// The ONNX file that is meant, by name or path: see below. Throws Error for an unknown name.
std::string network_file(const std::string& name_or_path, const std::vector<std::string>& search_dirs);

// Imports a network by name, from the first of `search_dirs` that has it, or by path: whatever ends in .onnx or holds
// a '/'. Throws Error, with the known names and the likeliest one, for an unknown name.
Network find_network(const std::string& name_or_path, const std::vector<std::string>& search_dirs,
                     const ImportOptions& options = {});

// The same as a forward graph.
ImportedGraph find_graph(const std::string& name_or_path, const std::vector<std::string>& search_dirs,
                         const ImportOptions& options = {});

}  // namespace weft::workloads
