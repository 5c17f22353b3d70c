#include "platform/card/xrt/host_order.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "model/core/error.h"
#include "platform/card/xrt/handover.h"

namespace weft::xrt {

HostOrderReader::HostOrderReader(const std::filesystem::path& run_folder) {
  const std::filesystem::path path = run_folder / kHostOrderFile;
  file_ = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file_ < 0) throw Error(fmt::format("cannot read '{}': {}", path.string(), std::strerror(errno)));
}

HostOrderReader::~HostOrderReader() {
  close(file_);
}

std::uint64_t HostOrderReader::word(std::size_t offset) const {
  std::uint64_t value = 0;
  return pread(file_, &value, sizeof value, static_cast<off_t>(offset)) == sizeof value ? value : 0;
}

std::uint64_t HostOrderReader::unordered() const {
  return word(offsetof(HostOrder, unordered));
}

void HostOrderReader::begin() {
  next_ = word(offsetof(HostOrder, starts));
}

bool HostOrderReader::next_is_queued() {
  const std::size_t at = offsetof(HostOrder, queued) + next_++ % HostOrder::kStarts;
  std::uint8_t queued = 0;
  return pread(file_, &queued, sizeof queued, static_cast<off_t>(at)) == sizeof queued && queued != 0;
}

}  // namespace weft::xrt
