#include <fmt/core.h>

#include <sstream>
#include <system_error>
#include <vector>

#include "model/core/error.h"
#include "platform/hardware/cosim/rtl_design.h"
#include "platform/os/content.h"

namespace weft::cosim {

namespace fs = std::filesystem;

namespace {

// Path of the module around the top: the only source directly in the folder.
fs::path wrapper_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(folder, code)) {
    if (entry.path().extension() == ".sv") found.push_back(entry.path());
  }
  if (found.size() == 1 && fs::is_regular_file(found.front(), code)) return found.front();
  throw Error(fmt::format("--rtl {}: is not a folder written by weft rtl: {}", folder.string(),
                          code ? code.message() : fmt::format("it holds {} .sv files, not one", found.size())));
}

}  // namespace

rtl::Package package_of(const config::RunConfig& run, const Hardware& hardware) {
  return {hardware.rtl,
          run.kernel->design(),
          hardware.topology,
          hardware.band,
          config::port_channels(run),
          run.kernel->clock,
          run.name,
          run.board.part,
          {},
          {}};
}

BuildOptions exported_build(const fs::path& folder, const config::RunConfig& run, const Hardware& hardware) {
  const fs::path wrapper = wrapper_in(folder);
  std::istringstream there(os::content(wrapper)), asked(wrapper_text(package_of(run, hardware)));
  std::string line, wanted;
  while (true) {
    const bool more = static_cast<bool>(std::getline(there, line)),
               expected = static_cast<bool>(std::getline(asked, wanted));
    if (!more && !expected) break;
    if (more != expected || line != wanted) {
      throw Error(
          fmt::format("--rtl {}: {} is the kernel of another configuration: it has '{}' where this one has '{}'",
                      folder.string(), wrapper.filename().string(), line, wanted));
    }
  }
  BuildOptions build;
  build.rtl = folder / "rtl";
  build.wrapper = wrapper;
  return build;
}

}  // namespace weft::cosim
