#include "platform/os/build_lock.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "platform/os/failure.h"

namespace weft::os {

BuildLock::BuildLock(const std::filesystem::path& file)
    : descriptor_(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
  if (descriptor_ < 0 || flock(descriptor_, LOCK_EX) != 0) fail(fmt::format("cannot lock '{}'", file.string()), errno);
}

BuildLock::~BuildLock() {
  close(descriptor_);
}

}  // namespace weft::os
