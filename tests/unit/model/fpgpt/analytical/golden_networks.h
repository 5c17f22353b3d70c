#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/conv/convolution.h"

namespace weft::test {

// A comma separated file with a header line: one map from column to text per row.
using CsvRow = std::map<std::string, std::string>;
std::vector<CsvRow> read_csv(const std::string& path_in_golden);

// The layers of tests/golden/networks/<name>.csv at `batch`; the first is fed by the graph's input.
std::vector<conv::Layer> golden_layers(const std::string& name, int batch);

const conv::Layer& layer_named(const std::vector<conv::Layer>& layers, const std::string& name);

// F, GI (not for layers fed by the graph's input) and GW of every layer, in that order; ungrouped layers only.
std::vector<conv::Convolution> training_convolutions(const std::vector<conv::Layer>& layers);

}  // namespace weft::test
