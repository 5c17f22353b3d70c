#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

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
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path card_socket() const { return path_ / "card"; }
  // "NAME=VALUE", which a program needs beside its own environment.
  std::vector<std::string> environment() const;
  // Loads of xclbins that the shim has begun, and for which no relay has connected.
  struct Load {
    std::string name;
    int process = 0;
  };
  std::vector<Load> unserved() const;
  void remove();

 private:
  std::filesystem::path path_;
  int lock_ = -1;
};

}  // namespace weft::xrt
