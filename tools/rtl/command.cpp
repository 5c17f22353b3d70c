#include <fmt/core.h>

#include <algorithm>

#include "model/core/error.h"
#include "platform/card/xrt/kernel_folder.h"
#include "platform/catalogue/designs.h"
#include "platform/catalogue/rtl_designs.h"
#include "platform/hardware/cosim/rtl_design.h"
#include "platform/iteration/training/trained_network.h"
#include "platform/os/data_root.h"
#include "platform/run/simulate.h"
#include "tools/cli/commands.h"

namespace weft::tools {

namespace {

void declare(Arguments& command, ResultOptions& options) {
  command.add_argument("CONFIG", options.config, "Run: a file, or a name in configs/runs").required();
  command.add_option("--out", options.save.out, "DIR", "New or empty directory (required)").required();
  command.add_set(options.sets, "a key of the run");
  command.add_only(options.only);
}

// The kernel used by all convolutions of the run. Throws Error if there are several.
cosim::Hardware only_hardware(const cosim::RunCases& cases, const std::string& run) {
  cosim::Hardware first = cases.hardware(0);
  std::vector<std::vector<rtl::Parameter>> different{first.rtl.parameters};
  for (std::size_t unit = 1; unit < cases.units().size(); ++unit) {
    const std::vector<rtl::Parameter> parameters = cases.hardware(unit).rtl.parameters;
    if (std::find(different.begin(), different.end(), parameters) == different.end()) different.push_back(parameters);
  }
  if (different.size() == 1) return first;
  throw Error(
      fmt::format("run '{}' needs {} kernels, but weft rtl writes one: select fewer convolutions with --only "
                  "LAYER:KIND, or set the sizes of the kernel to `shared` or numbers (weft show {})",
                  run, different.size(), run));
}

int execute(const ResultOptions& options) {
  config::RunConfig run = design::load_run(options.config, changes_of(options), project_library());
  const design::Design& design = design::design_of(run);
  const cosim::RtlDesign& rtl_design = design::rtl_design_of(design);
  const record::ResultDir place(options.save.out);
  const workloads::Network network = training::load_network(run, project_library());
  const cosim::Hardware hardware = only_hardware(*rtl_design.plan(run, network), run.name);
  // Sizes become numbers, as they are when the file is read back.
  if (const auto kernel = design.card_kernel_of(run, run::prepare(run, network).rows.front())) run.kernel = kernel;

  rtl::Package package = cosim::package_of(run, hardware);
  package.config = config::resolved_yaml(run);
  const rtl::BuildContext build_context{os::data_root(), build_cache(WEFT_COSIM_CACHE)};
  xrt::RtlKernel described{package.name,
                           {},
                           32 * hardware.band,
                           rtl::kControlPort,
                           Address{1} << rtl::kControlAddressBits,
                           design.card_arguments(*run.kernel)};
  for (const PortInfo& port : hardware.topology->ports) {
    described.memory_ports.push_back(rtl::memory_port(port.name));
  }
  package.kernel_xml = xrt::kernel_xml(described);
  const auto files = rtl::package_files(package, build_context);
  place.write(files);
  print(fmt::format("module       {}, {:.6g} MHz\nfiles        {} in {}; README.md describes them\n", package.name,
                    mhz(package.clock_mhz), files.size(), options.save.out));
  return 0;
}

}  // namespace

Command rtl_command() {
  return command<ResultOptions>("rtl", "Write the RTL of a run's kernel to a folder, ready for synthesis", declare,
                                execute);
}

}  // namespace weft::tools
