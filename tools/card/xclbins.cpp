#include "tools/card/xclbins.h"

#include <fmt/core.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <vector>

#include "model/core/error.h"
#include "platform/card/card.h"
#include "platform/card/xrt/bitstream.h"
#include "platform/card/xrt/xclbin.h"
#include "platform/catalogue/designs.h"
#include "platform/design/row.h"
#include "platform/iteration/training/trained_network.h"
#include "platform/os/output_file.h"
#include "platform/run/simulate.h"
#include "tools/cli/cli.h"

namespace weft::tools {

namespace fs = std::filesystem;

namespace {

constexpr const char* kOption = "--xclbin";
constexpr const char* kIndex = "index.json";
constexpr const char* kRun = "run.yaml";
constexpr const char* kIndexMark = "\"config\": \"run.yaml\"";

// A bitstream of a run: its kernel, and the first row that needs it.
struct NumberedKernel {
  config::KernelPtr kernel;
  const design::Row* row = nullptr;
};

std::string xclbin_of(const config::RunConfig& run, const config::Kernel& kernel) {
  const design::AddressMap memory = card::memory_of(run);
  xrt::Xclbin xclbin{xrt::platform_name(run.board),
                     kernel.design(),
                     design::design_of(run).card_arguments(kernel),
                     config::port_channels(run),
                     kernel.clock,
                     memory,
                     xrt::write_bitstream(run, memory, kernel)};
  return xrt::write_xclbin(xclbin);
}

nlohmann::json index_of(const std::vector<design::Row>& rows, const std::vector<std::size_t>& numbers,
                        const std::vector<std::string>& files, const std::vector<NumberedKernel>& kernels,
                        const config::RunConfig& run) {
  nlohmann::json index{{"run", run.name}, {"board", run.board.name}, {"batch", run.batch}, {"config", kRun}};
  index["kernel"] = run.kernel->design();
  index["xclbins"] = files;
  for (const NumberedKernel& each : kernels) index["kernels"].push_back(config::to_yaml(each.kernel->write()));
  nlohmann::json convolutions = nlohmann::json::array();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    convolutions.push_back({{"layer", rows[i].layer.name},
                            {"kind", conv::to_string(rows[i].kind)},
                            {"fully_connected", rows[i].fully_connected},
                            {"launches", rows[i].launches},
                            {"xclbin", files[numbers[i]]}});
  }
  index["convolutions"] = convolutions;
  return index;
}

}  // namespace

std::string write_xclbins(const config::RunConfig& run, const std::string& place) {
  const design::Design& design = design::design_of(run);
  const std::vector<design::Row> rows = run::prepare(run, training::load_network(run, project_library())).rows;
  if (!design.card_kernel_of(run, rows.front())) {
    throw Error(fmt::format("{}: the design {} cannot be loaded into a card", kOption, design.name()));
  }
  const std::vector<std::size_t> numbers = design::bitstreams_of(rows);
  std::vector<NumberedKernel> kernels;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (numbers[i] == kernels.size()) kernels.push_back({design.card_kernel_of(run, rows[i]), &rows[i]});
  }
  if (place.empty() || place.back() != '/') {
    if (kernels.size() > 1) {
      throw Error(
          fmt::format("{0} {1}: the run needs {2} kernels, and an xclbin holds one: name a folder, {0} {1}/, or "
                      "leave fewer: sizes of the kernel that are `shared` or numbers, or --set only=LAYER:KIND",
                      kOption, place, kernels.size()));
    }
    OutputFile(place, kOption, xrt::kXclbinMark).write(xclbin_of(run, *kernels.front().kernel));
    return fmt::format("xclbin       {}: {}\n", place, design::kernel_text(*kernels.front().row));
  }
  const fs::path folder(place);
  std::error_code code;
  fs::create_directories(folder, code);
  if (code) throw Error(fmt::format("{}: cannot create '{}': {}", kOption, place, code.message()));
  // All are looked at before the first is written. run.yaml is the one that index.json names, if that is there.
  std::vector<OutputFile> xclbins;
  std::vector<std::string> files;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    files.push_back(fmt::format("{}-{}.xclbin", run.name, i));
    xclbins.emplace_back(folder / files.back(), kOption, xrt::kXclbinMark);
  }
  const OutputFile index(folder / kIndex, kOption, kIndexMark);
  if (fs::exists(folder / kRun) && !fs::exists(folder / kIndex)) {
    throw Error(fmt::format("{} {}: holds a {}, and no {} of weft's: it is left as it is. Name another folder", kOption,
                            place, kRun, kIndex));
  }
  const OutputFile config(folder / kRun, kOption, "");
  for (std::size_t i = 0; i < kernels.size(); ++i) xclbins[i].write(xclbin_of(run, *kernels[i].kernel));
  index.write(index_of(rows, numbers, files, kernels, run).dump(1) + "\n");
  config.write(config::resolved_yaml(run));
  return fmt::format("xclbins      {} in {}, for {} convolutions; {} says which needs which\n", files.size(), place,
                     rows.size(), kIndex);
}

}  // namespace weft::tools
