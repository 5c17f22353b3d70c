#include "platform/xrt/run_folder.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string_view>
#include <system_error>

#include "model/core/error.h"
#include "platform/xrt/handover.h"
#include "platform/xrt/messages.h"

namespace weft::xrt {

namespace fs = std::filesystem;

namespace {

// The shim puts its sockets into /tmp/$USER, whatever TMPDIR says.
const fs::path kParent = "/tmp";
constexpr const char* kPrefix = "weft-card-";
constexpr const char* kLock = "lock";
constexpr const char* kShim = "libxrt_hwemu.so.2";

void write(const fs::path& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text << std::flush;
  if (!out) throw Error(fmt::format("cannot write '{}'", path.string()));
}

// The lock goes last: whoever is killed in the middle of this leaves a folder that remove_stale() knows to be over.
void remove_folder(const fs::path& path) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(path, ignored)) {
    if (entry.path().filename() != kLock) fs::remove_all(entry.path(), ignored);
  }
  fs::remove_all(path, ignored);
}

// Folders of runs that are over: nobody holds their lock. One without a lock was just made, or is older than a minute.
void remove_stale() {
  std::error_code code;
  for (const fs::directory_entry& entry : fs::directory_iterator(kParent, code)) {
    if (entry.path().filename().string().rfind(kPrefix, 0) != 0) continue;
    struct stat status {};
    if (lstat(entry.path().c_str(), &status) != 0 || !S_ISDIR(status.st_mode) || status.st_uid != geteuid()) continue;
    const int lock = open((entry.path() / kLock).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    const bool over = lock >= 0 ? flock(lock, LOCK_EX | LOCK_NB) == 0 : time(nullptr) - status.st_mtime > 60;
    if (over) remove_folder(entry.path());
    if (lock >= 0) close(lock);
  }
}

// A size as emconfig.json can say it: a power of two, at most `bytes`. The xclbin says it exactly.
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

// packet_size and pad: the shim's alloc_void() drops what realloc() returns for one of its buffers, and from then on
// writes beyond its end, once a message is longer than the first. The first one tells the card what stands here, and so
// is longer than all that carry a packet. system_dpa: without it no thread of the shim asks for messages.
std::string configuration() {
  return fmt::format(
      "[Emulation]\npacket_size={}\nkeep_run_dir=false\nsystem_dpa=false\nsuppress_infos=true\n"
      "print_infos_in_console=false\n[Debug]\npad={}\n",
      kPacketBytes, std::string(kPacketBytes + kPacketBytes / 16, 'x'));
}

std::string value_of(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

RunFolder::RunFolder(const Device& device) {
  const fs::path shim = fs::path(WEFT_LIBRARY_FOLDER) / kShim;
  if (!fs::exists(shim)) throw Error(fmt::format("'{}' is missing: is libxrt1 installed?", shim.string()));
  remove_stale();
  std::string name = (kParent / (std::string(kPrefix) + "XXXXXX")).string();
  if (!mkdtemp(name.data())) throw Error(fmt::format("cannot create a folder '{}': {}", name, std::strerror(errno)));
  path_ = name;
  lock_ = open((path_ / kLock).c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  if (lock_ < 0 || flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    throw Error(fmt::format("cannot lock '{}': {}", (path_ / kLock).string(), std::strerror(errno)));
  }
  fs::create_directories(path_ / "xrt/lib");
  fs::create_symlink(shim, path_ / "xrt/lib" / kShim);
  fs::create_directories(path_ / "vendors");
  write(path_ / "vendors/xilinx.icd", "libxilinxopencl.so.2\n");
  write(path_ / "emconfig.json", device_list(device));
  write(path_ / "xrt.ini", configuration());
  write(path_ / kHostOrderFile, std::string(sizeof(HostOrder), '\0'));
}

RunFolder::~RunFolder() {
  remove();
  if (lock_ >= 0) close(lock_);
}

void RunFolder::remove() {
  remove_folder(path_);
}

std::vector<std::string> RunFolder::environment() const {
  const std::string preload = value_of("LD_PRELOAD");
  return {"XCL_EMULATION_MODE=hw_emu",
          "XILINX_XRT=" + (path_ / "xrt").string(),
          "XRT_INI_PATH=" + (path_ / "xrt.ini").string(),
          "EMCONFIG_PATH=" + path_.string(),
          "SDACCEL_EM_RUN_DIR=" + path_.string(),
          "OCL_ICD_VENDORS=" + (path_ / "vendors").string(),
          "USER=" + path_.filename().string(),
          "WEFT_CARD_FOLDER=" + path_.string(),
          fmt::format("{}={}", kCardVariable, card_socket().string()),
          fmt::format("{}={}", kRelayVariable, WEFT_CARD_RELAY_PROGRAM),
          fmt::format("LD_PRELOAD={}{}{}", WEFT_SHIM_PATCH, preload.empty() ? "" : ":", preload)};
}

// The shim unpacks the load number N of a device into .run/PROCESS/hw_em/DEVICE/binary_N, and calls its socket
// DEVICE_N_PROCESS.
std::vector<RunFolder::Load> RunFolder::unserved() const {
  constexpr std::string_view kLoad = "binary_";
  std::vector<Load> loads;
  std::error_code code;
  for (const fs::directory_entry& process : fs::directory_iterator(path_ / ".run", code)) {
    const std::string number = process.path().filename().string();
    for (const fs::directory_entry& device : fs::directory_iterator(process.path() / "hw_em", code)) {
      for (const fs::directory_entry& load : fs::directory_iterator(device.path(), code)) {
        const std::string name = load.path().filename().string();
        if (name.rfind(kLoad, 0) != 0) continue;
        const std::string socket =
            fmt::format("{}_{}_{}", device.path().filename().string(), name.substr(kLoad.size()), number);
        if (!fs::exists(path_ / (kServedPrefix + socket), code)) loads.push_back({socket, std::atoi(number.c_str())});
      }
    }
  }
  return loads;
}

}  // namespace weft::xrt
