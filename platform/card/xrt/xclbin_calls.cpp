// Preloaded into a host program together with shim_patch.cpp: keeps damaged xclbins from XRT and its OpenCL, which
// would crash. Only the program's calls pass here; XRT's libraries bind their own to themselves. The program gets the
// error that XRT returns for other invalid files, and weft prints the fault.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "platform/card/xrt/host_calls.h"
#include "platform/card/xrt/xclbin_format.h"

namespace {

using weft::xrt::of_xrt;
using weft::xrt::XclbinHeader;

// Prints and returns the fault of an xclbin; empty: none.
std::string said(const std::string& name, const std::string& damage) {
  if (damage.empty()) return damage;
  std::string what = name + " " + damage + ": write it with weft card CONFIG --xclbin FILE";
  for (char& c : what) {
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = '?';
  }
  const std::string line = "weft: error: card: " + what + "\n";
  if (write(STDERR_FILENO, line.data(), line.size()) < 0) return what;
  return what;
}

std::string wrong_file(const std::string& path) {
  const std::string name = "xclbin '" + path + "'";
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return {};  // XRT reports this itself
  struct stat status {};
  std::string content, damage;
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
    damage = "is no regular file";
  } else if (static_cast<std::size_t>(status.st_size) > weft::xrt::kMaxXclbin) {
    damage = "is too long for weft card: it has " + std::to_string(status.st_size) + " bytes";
  } else {
    content.resize(static_cast<std::size_t>(status.st_size));
    std::size_t have = 0;
    while (have < content.size()) {
      const ssize_t got = read(file, content.data() + have, content.size() - have);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) break;
      have += static_cast<std::size_t>(got);
    }
    content.resize(have);
    damage = weft::xrt::damage_of(content);
  }
  close(file);
  return said(name, damage);
}

std::string wrong_bytes(const void* data, std::size_t bytes) {
  return said("the program's xclbin", weft::xrt::damage_of({static_cast<const char*>(data), data ? bytes : 0}));
}

// Returns the readable part of `bytes`: the program gives the address of an xclbin, and the xclbin its own length.
std::string readable(const void* data, std::size_t bytes) {
  std::string copy(bytes, '\0');
  const iovec from{const_cast<void*>(data), bytes}, to{copy.data(), bytes};
  const ssize_t got = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
  if (got < 0 && errno != EFAULT) return {static_cast<const char*>(data), bytes};  // the system does not offer the call
  copy.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  return copy;
}

std::string wrong_memory(const void* data) {
  std::string content = readable(data, sizeof(XclbinHeader));
  XclbinHeader header;
  if (content.size() == sizeof header) {
    const bool is_xclbin = content.compare(0, header.magic.size(), {header.magic.data(), header.magic.size()}) == 0;
    std::memcpy(&header, content.data(), sizeof header);
    if (is_xclbin && header.length <= weft::xrt::kMaxXclbin) content = readable(data, header.length);
  }
  return wrong_bytes(content.data(), content.size());
}

void require(const std::string& wrong) {
  if (!wrong.empty()) throw std::runtime_error(wrong);
}

}  // namespace

// XRT's native interface. A uuid is returned in memory.

void* load_file(void* uuid, void* device, const std::string& file) __asm__(
    "_ZN3xrt6device11load_xclbinERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE");
void* load_file(void* uuid, void* device, const std::string& file) {
  static const auto load = of_xrt<void* (*)(void*, void*, const std::string&)>(
      "_ZN3xrt6device11load_xclbinERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE");
  require(wrong_file(file));
  return load(uuid, device, file);
}

// The OpenCL library loads by this function, too.
void* load_memory(void* uuid, void* device, const void* axlf) __asm__("_ZN3xrt6device11load_xclbinEPK4axlf");
void* load_memory(void* uuid, void* device, const void* axlf) {
  static const auto load = of_xrt<void* (*)(void*, void*, const void*)>("_ZN3xrt6device11load_xclbinEPK4axlf");
  require(wrong_memory(axlf));
  return load(uuid, device, axlf);
}

void read_file(void* xclbin, const std::string& file) __asm__(
    "_ZN3xrt6xclbinC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE");
void read_file(void* xclbin, const std::string& file) {
  static const auto read = of_xrt<void (*)(void*, const std::string&)>(
      "_ZN3xrt6xclbinC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE");
  require(wrong_file(file));
  read(xclbin, file);
}

void read_vector(void* xclbin, const std::vector<char>& content) __asm__("_ZN3xrt6xclbinC1ERKSt6vectorIcSaIcEE");
void read_vector(void* xclbin, const std::vector<char>& content) {
  static const auto read = of_xrt<void (*)(void*, const std::vector<char>&)>("_ZN3xrt6xclbinC1ERKSt6vectorIcSaIcEE");
  require(wrong_bytes(content.data(), content.size()));
  read(xclbin, content);
}

void read_memory(void* xclbin, const void* axlf) __asm__("_ZN3xrt6xclbinC1EPK4axlf");
void read_memory(void* xclbin, const void* axlf) {
  static const auto read = of_xrt<void (*)(void*, const void*)>("_ZN3xrt6xclbinC1EPK4axlf");
  require(wrong_memory(axlf));
  read(xclbin, axlf);
}

extern "C" {

// XRT's C interface: an error is a negative number, or a null handle.

int xrtDeviceLoadXclbin(void* device, const void* axlf) {
  static const auto load = of_xrt<int (*)(void*, const void*)>("xrtDeviceLoadXclbin");
  return wrong_memory(axlf).empty() ? load(device, axlf) : -(errno = EINVAL);
}

int xrtDeviceLoadXclbinFile(void* device, const char* file) {
  static const auto load = of_xrt<int (*)(void*, const char*)>("xrtDeviceLoadXclbinFile");
  return wrong_file(file ? file : "").empty() ? load(device, file) : -(errno = EINVAL);
}

void* xrtXclbinAllocFilename(const char* file) {
  static const auto read = of_xrt<void* (*)(const char*)>("xrtXclbinAllocFilename");
  if (wrong_file(file ? file : "").empty()) return read(file);
  errno = EINVAL;
  return nullptr;
}

void* xrtXclbinAllocRawData(const char* data, int bytes) {
  static const auto read = of_xrt<void* (*)(const char*, int)>("xrtXclbinAllocRawData");
  if (wrong_bytes(data, bytes < 0 ? 0 : static_cast<std::size_t>(bytes)).empty()) return read(data, bytes);
  errno = EINVAL;
  return nullptr;
}

void* clCreateProgramWithBinary(void* context, std::uint32_t devices, const void* const* device_list,
                                const std::size_t* bytes, const unsigned char** binaries, std::int32_t* statuses,
                                std::int32_t* error) {
  constexpr std::int32_t kSuccess = 0, kInvalidBinary = -42;  // in CL/cl.h
  using Create = void* (*)(void*, std::uint32_t, const void* const*, const std::size_t*, const unsigned char**,
                           std::int32_t*, std::int32_t*);
  static const auto create = weft::xrt::of_opencl<Create>("clCreateProgramWithBinary");
  bool whole = true;
  for (std::uint32_t i = 0; i < devices && bytes && binaries; ++i) {
    if (!binaries[i] || bytes[i] == 0) continue;  // the library reports this itself
    const bool this_one = wrong_bytes(binaries[i], bytes[i]).empty();
    if (statuses) statuses[i] = this_one ? kSuccess : kInvalidBinary;
    whole = whole && this_one;
  }
  if (whole) return create(context, devices, device_list, bytes, binaries, statuses, error);
  if (error) *error = kInvalidBinary;
  return nullptr;
}
}
