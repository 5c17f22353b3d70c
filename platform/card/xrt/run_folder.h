#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "platform/card/xrt/complaint.h"
#include "platform/os/temporary_folder.h"

namespace weft::xrt {

// What the shim is told of the card before an xclbin is loaded.
struct Device {
  std::string platform;  // as in the xclbins for it
  int banks = 1;
  std::int64_t bank_bytes = 0;
};

// A folder of one card run, which nobody else can enter: XRT's configuration, its sockets and what it unpacks. Gone at
// the end; what runs left behind that could not clear away goes when the next one begins.
class RunFolder {
 public:
  explicit RunFolder(const Device& device);  // throws Error

  const std::filesystem::path& path() const { return folder_.path(); }
  std::filesystem::path card_socket() const { return path() / "card"; }
  // "NAME=VALUE", which a program needs beside its own environment.
  std::vector<std::string> environment() const;
  // Loads of xclbins that the shim has begun, and for which no relay has connected.
  struct Load {
    std::string name;
    int process = 0;
  };
  std::vector<Load> unserved() const;
  // What the program's XRT or a relay has left for the launcher.
  std::optional<Complaint> complaint() const;
  // In a process that has inherited this object, and in which it does not end.
  void remove() const;

 private:
  os::TemporaryFolder folder_;
};

}  // namespace weft::xrt
