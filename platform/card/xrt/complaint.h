#pragma once

#include <sys/types.h>

#include <string>

namespace weft::xrt {

// Reason for the end of a run that the program or a relay reports: the launcher then ends the program and prints it.
// Also included by programs that do not link weft's libraries.

// File in the folder of the run: exit code of weft card, a line feed, and the line that the launcher prints.
inline constexpr const char* kComplaintFile = "complaint";

struct Complaint {
  int exit_code = 1;
  std::string line;
};

// Leaves a complaint for the launcher. The caller must then end its program with SIGKILL.
void complain(const Complaint& complaint);

}  // namespace weft::xrt
