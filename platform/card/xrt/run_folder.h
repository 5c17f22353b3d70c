#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "platform/card/xrt/complaint.h"
#include "platform/os/temporary_folder.h"

namespace weft::xrt {

// Properties of the card that the shim needs before an xclbin is loaded.
struct Device {
  std::string platform;  // as in the card's xclbins
  int banks = 1;
  std::int64_t bank_bytes = 0;
};

// Program that connects a program's XRT with the card.
std::filesystem::path relay_program();

// Private folder of one card run: XRT's configuration, its sockets and the files that it unpacks. Removed at the end;
// the next run removes those of runs that were killed.
class RunFolder {
 public:
  explicit RunFolder(const Device& device);  // throws Error

  const std::filesystem::path& path() const { return folder_.path(); }
  std::filesystem::path card_socket() const { return path() / "card"; }
  // Returns "NAME=VALUE" for each variable that a program needs in addition to its environment.
  std::vector<std::string> environment() const;
  // Loads of xclbins that the shim has begun and for which no relay has connected yet.
  struct Load {
    std::string name;
    int process = 0;
  };
  std::vector<Load> unserved() const;
  // Returns the complaint of the program's XRT or of a relay, if there is one.
  std::optional<Complaint> complaint() const;
  // For a process that has inherited this object and does not destroy it.
  void remove() const;

 private:
  os::TemporaryFolder folder_;
};

}  // namespace weft::xrt
