#include "platform/xrt/visits.h"

#include <fmt/core.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "model/core/error.h"
#include "platform/xrt/handover.h"

namespace weft::xrt {

namespace {

// From a relay; it has a second for each part.
std::optional<Visit> visit_of(int relay) {
  const timeval patience{1, 0};
  setsockopt(relay, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  ucred peer{};
  socklen_t size = sizeof peer;
  if (getsockopt(relay, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.uid != geteuid()) return std::nullopt;
  HandoverMessage handover;
  const Handover& head = handover.head;
  if (recvmsg(relay, &handover.message, MSG_CMSG_CLOEXEC | MSG_WAITALL) != sizeof head) return std::nullopt;
  const cmsghdr* const rights = CMSG_FIRSTHDR(&handover.message);
  if (!rights || rights->cmsg_type != SCM_RIGHTS || rights->cmsg_len != CMSG_LEN(sizeof(int))) return std::nullopt;
  Visit visit;
  visit.relay = relay;
  std::memcpy(&visit.shim, CMSG_DATA(rights), sizeof visit.shim);
  if (head.bytes <= kMaxBitstream) {
    visit.bitstream.resize(head.bytes);
    const ssize_t got = head.bytes == 0 ? 0 : recv(relay, visit.bitstream.data(), head.bytes, MSG_WAITALL);
    if (got == static_cast<ssize_t>(head.bytes)) return visit;
  }
  close(visit.shim);
  return std::nullopt;
}

void end(int relay, char answer) {
  send(relay, &answer, 1, MSG_NOSIGNAL);
  close(relay);
}

}  // namespace

int listen_at(const std::filesystem::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.string().size() >= sizeof address.sun_path) throw Error(fmt::format("'{}' is too long", path.string()));
  path.string().copy(address.sun_path, path.string().size());
  const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const mode_t before = umask(0077);
  const bool bound = listener >= 0 && bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  umask(before);
  if (!bound || listen(listener, 16) != 0) {
    throw Error(fmt::format("cannot listen at '{}': {}", path.string(), std::strerror(errno)));
  }
  return listener;
}

Visits::Visits(int listener, int launcher, std::function<void(pid_t)> orphaned)
    : listener_(listener),
      launcher_(launcher),
      orphaned_(std::move(orphaned)),
      stop_(eventfd(0, EFD_CLOEXEC)),
      thread_([this] { watch(); }) {}

Visits::~Visits() {
  const std::uint64_t one = 1;
  if (write(stop_, &one, sizeof one) == sizeof one) thread_.join();
  close(stop_);
  if (waiting_) {
    close(waiting_->shim);
    close(waiting_->relay);
  }
}

void Visits::watch() {
  pid_t program = 0;
  for (;;) {
    std::array<pollfd, 3> events{pollfd{stop_, POLLIN, 0}, pollfd{launcher_, POLLIN, 0}, pollfd{listener_, POLLIN, 0}};
    if (poll(events.data(), events.size(), -1) < 0 && errno != EINTR) return;
    if (events[0].revents != 0) return;
    if (events[1].revents != 0) {
      // First the program's number, then one byte at its end.
      if (program == 0 && read(launcher_, &program, sizeof program) == sizeof program) continue;
      char word = 0;
      if (program == 0 || read(launcher_, &word, 1) != 1 || word != kProgramEnded) return orphaned_(program);
      const std::lock_guard lock(mutex_);
      ended_ = true;
      changed_.notify_all();
      return;
    }
    if (events[2].revents != 0) receive();
  }
}

void Visits::receive() {
  const int relay = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (relay < 0) return;
  auto visit = visit_of(relay);
  if (!visit) return end(relay, kRefused);
  const std::lock_guard lock(mutex_);
  if (in_use_) {
    close(visit->shim);
    return end(relay, kInUse);
  }
  in_use_ = true;
  waiting_ = std::move(visit);
  changed_.notify_all();
}

std::optional<Visit> Visits::next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return waiting_ || ended_; });
  if (!waiting_) return std::nullopt;
  return std::exchange(waiting_, std::nullopt);
}

void Visits::release(Visit& visit, char answer) {
  if (visit.relay < 0) return;
  {
    const std::lock_guard lock(mutex_);
    in_use_ = false;
  }
  end(std::exchange(visit.relay, -1), answer);
}

}  // namespace weft::xrt
