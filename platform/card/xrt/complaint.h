#pragma once

#include <sys/types.h>

#include <string>

namespace weft::xrt {

// What ends a run from within the program or a relay: the launcher ends the program and says so. Shared by programs
// without weft's libraries.

// In the folder of the run: exit code of weft card, a line feed, and the line that the launcher prints.
inline constexpr const char* kComplaintFile = "complaint";

struct Complaint {
  int exit_code = 1;
  std::string line;
};

// Leaves a complaint for the launcher. The caller then ends its program, with SIGKILL.
void complain(const Complaint& complaint);

}  // namespace weft::xrt
