#include "platform/card/xrt/complaint.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>

namespace weft::xrt {

void complain(const Complaint& complaint) {
  const char* const folder = std::getenv("WEFT_CARD_FOLDER");
  if (!folder) return;
  const std::string path = std::string(folder) + "/" + kComplaintFile, fresh = path + "." + std::to_string(getpid());
  const int file = open(fresh.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
  if (file < 0) return;
  const std::string text = std::to_string(complaint.exit_code) + "\n" + complaint.line;
  const bool written = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  close(file);
  if (!written || rename(fresh.c_str(), path.c_str()) != 0) unlink(fresh.c_str());
}

}  // namespace weft::xrt
