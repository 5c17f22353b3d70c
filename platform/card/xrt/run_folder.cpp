#include "platform/card/xrt/run_folder.h"

#include <fmt/core.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <system_error>

#include "model/core/error.h"
#include "platform/card/xrt/handover.h"
#include "platform/card/xrt/host_order.h"
#include "platform/card/xrt/messages.h"
#include "platform/os/data_root.h"
#include "platform/os/failure.h"

namespace weft::xrt {

namespace fs = std::filesystem;

namespace {

// The shim always creates its sockets in /tmp/$USER, regardless of TMPDIR.
const fs::path kParent = "/tmp";
constexpr const char* kPrefix = "weft-card-";
constexpr const char* kShim = "libxrt_hwemu.so.2";

void write(const fs::path& path, const std::string& text) {
  errno = 0;
  std::ofstream out(path, std::ios::binary);
  out << text << std::flush;
  if (!out) os::fail(fmt::format("cannot write '{}'", path.string()), errno);
}

// Checks a program that the run starts in addition to those of XRT.
void require_executable(const fs::path& program) {
  if (access(program.c_str(), R_OK | X_OK) != 0) {
    throw Error(fmt::format("cannot execute '{}': {}: is it built, on a file system without noexec?", program.string(),
                            std::strerror(errno)));
  }
}

// Checks that the folder allows execution: XRT starts the files that it unpacks.
void require_exec(const fs::path& folder) {
  struct statvfs status {};
  if (statvfs(folder.c_str(), &status) == 0 && (status.f_flag & ST_NOEXEC) != 0) {
    throw Error(
        fmt::format("'{0}' is mounted noexec, but XRT starts programs that it unpacks there (TMPDIR changes "
                    "nothing): mount -o remount,exec {0}",
                    folder.string()));
  }
}

// Size in the form of emconfig.json: a power of two, at most `bytes`. The xclbin has the exact size.
std::string power_text(std::int64_t bytes) {
  static constexpr const char* kUnits[] = {"KB", "MB", "GB", "TB"};
  std::int64_t power = 1024;
  while (power <= bytes / 2) power *= 2;
  std::size_t unit = 0;
  for (power /= 1024; power >= 1024 && unit + 1 < std::size(kUnits); ++unit) power /= 1024;
  return fmt::format("{}{}", power, kUnits[unit]);
}

std::string device_list(const Device& device) {
  std::string banks;
  for (int i = 0; i < device.banks; ++i) {
    banks += fmt::format(R"({}{{"Size":"{}"}})", i == 0 ? "" : ",", power_text(device.bank_bytes));
  }
  return fmt::format(
      R"({{"Version":{{"FileVersion":"2.0","ToolVersion":"2022.1"}},
 "Platform":{{"Name":"weft","UnifiedPlatform":"true","ExpandedPR":"true","Boards":[{{"Devices":[
  {{"Name":"{}","HalMajorVersion":"2","HalMinorVersion":"1","DdrBanks":[{}]}}]}}]}}}}
)",
      device.platform, banks);
}

// packet_size and pad: the shim's alloc_void() discards the result of realloc() for one of its buffers, and then writes
// beyond its end when a message is longer than the first one. The first message carries this file, so it is longer than
// any message with a packet. system_dpa: false keeps the shim from a thread that polls for messages.
std::string configuration() {
  return fmt::format(
      "[Emulation]\npacket_size={}\nkeep_run_dir=false\nsystem_dpa=false\nsuppress_infos=true\n"
      "print_infos_in_console=false\n[Debug]\npad={}\n",
      kPacketBytes, std::string(kPacketBytes + kPacketBytes / 16, 'x'));
}

fs::path shim() {
  return fs::path(WEFT_LIBRARY_FOLDER) / kShim;
}

fs::path shim_patch() {
  return os::built_file(WEFT_SHIM_PATCH);
}

// Checks the requirements of a run before its folder is created.
fs::path parent_of_runs() {
  if (!fs::exists(shim())) throw Error(fmt::format("'{}' is missing: is libxrt1 installed?", shim().string()));
  require_executable(relay_program());
  require_executable(shim_patch());
  require_exec(kParent);
  return kParent;
}

std::string value_of(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

fs::path relay_program() {
  return os::built_file(WEFT_CARD_RELAY_PROGRAM);
}

RunFolder::RunFolder(const Device& device) : folder_(parent_of_runs(), kPrefix) {
  fs::create_directories(path() / "xrt/lib");
  fs::create_symlink(shim(), path() / "xrt/lib" / kShim);
  fs::create_directories(path() / "vendors");
  write(path() / "vendors/xilinx.icd", "libxilinxopencl.so.2\n");
  write(path() / "emconfig.json", device_list(device));
  write(path() / "xrt.ini", configuration());
  write(path() / kHostOrderFile, "");
  fs::resize_file(path() / kHostOrderFile, sizeof(HostOrder));
}

void RunFolder::remove() const {
  os::remove_folder(path());
}

std::vector<std::string> RunFolder::environment() const {
  const std::string preload = value_of("LD_PRELOAD");
  return {"XCL_EMULATION_MODE=hw_emu",
          "XILINX_XRT=" + (path() / "xrt").string(),
          "XRT_INI_PATH=" + (path() / "xrt.ini").string(),
          "EMCONFIG_PATH=" + path().string(),
          "SDACCEL_EM_RUN_DIR=" + path().string(),
          "OCL_ICD_VENDORS=" + (path() / "vendors").string(),
          "USER=" + path().filename().string(),
          "WEFT_CARD_FOLDER=" + path().string(),
          fmt::format("{}={}", kCardVariable, card_socket().string()),
          fmt::format("{}={}", kRelayVariable, relay_program().string()),
          fmt::format("LD_PRELOAD={}{}{}", shim_patch().string(), preload.empty() ? "" : ":", preload)};
}

// The shim unpacks load number N of a device into .run/PROCESS/hw_em/DEVICE/binary_N; its socket is DEVICE_N_PROCESS.
std::vector<RunFolder::Load> RunFolder::unserved() const {
  constexpr std::string_view kLoad = "binary_";
  std::vector<Load> loads;
  std::error_code code;
  for (const fs::directory_entry& process : fs::directory_iterator(path() / ".run", code)) {
    const std::string number = process.path().filename().string();
    for (const fs::directory_entry& device : fs::directory_iterator(process.path() / "hw_em", code)) {
      for (const fs::directory_entry& load : fs::directory_iterator(device.path(), code)) {
        const std::string name = load.path().filename().string();
        if (name.rfind(kLoad, 0) != 0) continue;
        const std::string socket =
            fmt::format("{}_{}_{}", device.path().filename().string(), name.substr(kLoad.size()), number);
        if (!fs::exists(path() / (kServedPrefix + socket), code)) loads.push_back({socket, std::atoi(number.c_str())});
      }
    }
  }
  return loads;
}

std::optional<Complaint> RunFolder::complaint() const {
  std::ifstream in(path() / kComplaintFile, std::ios::binary);
  Complaint complaint;
  if (!(in >> complaint.exit_code)) return std::nullopt;
  in.get();
  std::getline(in, complaint.line);
  return complaint;
}

}  // namespace weft::xrt
