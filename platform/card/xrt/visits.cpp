#include "platform/card/xrt/visits.h"

#include <fmt/core.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "model/core/error.h"
#include "platform/card/xrt/handover.h"
#include "platform/card/xrt/stopped.h"
#include "platform/os/failure.h"

namespace weft::xrt {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kWatchTick{100};
// Limit for each part of a relay's handover.
constexpr milliseconds kPatience{1000};
// Limit from a relay's end without its last byte to the end of the program, which ends its relay.
constexpr milliseconds kRelayGrace{500};

bool nothing_yet() {
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
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
    os::fail(fmt::format("cannot listen at '{}'", path.string()), errno);
  }
  return listener;
}

Visits::Visits(int listener, int launcher, Losses losses)
    : listener_(listener), launcher_(launcher), losses_(std::move(losses)), stop_(eventfd(0, EFD_CLOEXEC)) {
  if (stop_ < 0) os::fail("cannot watch the program", errno);
  thread_ = std::thread([this] { watch(); });
}

Visits::~Visits() {
  const std::uint64_t one = 1;
  if (::write(stop_, &one, sizeof one) == sizeof one) thread_.join();
  close(stop_);
  for (Relay& relay : relays_) close_relay(relay);
  if (waiting_) close(waiting_->shim);
}

void Visits::watch() {
  pid_t program = 0;
  for (;;) {
    std::vector<pollfd> events{{stop_, POLLIN, 0}, {launcher_, POLLIN, 0}, {listener_, POLLIN, 0}};
    bool hurries = false;
    for (const Relay& relay : relays_) {
      events.push_back({relay.cut_off ? -1 : relay.socket, POLLIN, 0});
      hurries = hurries || relay.cut_off || !relay.arrived;
    }
    const int timeout = hurries ? static_cast<int>(kWatchTick.count()) : -1;
    if (poll(events.data(), events.size(), timeout) < 0 && errno != EINTR) return;
    if (events[0].revents != 0) return;
    if (events[1].revents != 0) {
      // The launcher sends the program's process number, then one byte at its end.
      if (program == 0 && read(launcher_, &program, sizeof program) == sizeof program) continue;
      char word = 0;
      if (program == 0 || read(launcher_, &word, 1) != 1 || word != kProgramEnded) {
        return losses_.of_launcher(program);
      }
      const std::lock_guard lock(mutex_);
      ended_ = true;
      changed_.notify_all();
      return;
    }
    std::size_t event = 3;
    for (auto relay = relays_.begin(); relay != relays_.end();) {
      const bool spoke = events[event++].revents != 0;
      if ((spoke && !hear(*relay)) || is_over(*relay)) {
        const std::lock_guard lock(mutex_);
        close_relay(*relay);
        relay = relays_.erase(relay);
      } else {
        ++relay;
      }
    }
    if (events[2].revents != 0) accept_relay();
  }
}

void Visits::accept_relay() {
  const int socket = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (socket < 0) return;
  ucred peer{};
  socklen_t size = sizeof peer;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.uid != geteuid()) {
    close(socket);
    return;
  }
  Relay relay;
  relay.number = ++last_number_;
  relay.socket = socket;
  relay.process = peer.pid;
  relay.since = Clock::now();
  const std::lock_guard lock(mutex_);
  relays_.push_back(std::move(relay));
}

// Returns false if the connection can be closed.
bool Visits::hear(Relay& relay) {
  if (!relay.arrived) return hear_arriving(relay);
  char word = 0;
  const ssize_t got = recv(relay.socket, &word, 1, MSG_DONTWAIT);
  if (got < 0 && nothing_yet()) return true;
  if (got == 1 && word == kLeft) return false;
  relay.cut_off = true;
  relay.since = Clock::now();
  return true;
}

bool Visits::hear_arriving(Relay& relay) {
  if (relay.shim < 0) {
    HandoverMessage handover;
    const ssize_t got = recvmsg(relay.socket, &handover.message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (got < 0 && nothing_yet()) return true;
    const cmsghdr* const rights = got > 0 ? CMSG_FIRSTHDR(&handover.message) : nullptr;
    if (!rights || rights->cmsg_type != SCM_RIGHTS || rights->cmsg_len != CMSG_LEN(sizeof(int))) return false;
    std::memcpy(&relay.shim, CMSG_DATA(rights), sizeof relay.shim);
    if (got != sizeof handover.head || handover.head.bytes > kMaxBitstream) return false;
    relay.host = static_cast<pid_t>(handover.head.host);
    relay.bytes = handover.head.bytes;
  }
  std::array<char, 4096> block{};
  while (relay.bitstream.size() < relay.bytes) {
    const std::size_t most = std::min(block.size(), relay.bytes - relay.bitstream.size());
    const ssize_t got = recv(relay.socket, block.data(), most, MSG_DONTWAIT);
    if (got < 0 && nothing_yet()) return true;
    if (got <= 0) return false;
    relay.bitstream.append(block.data(), static_cast<std::size_t>(got));
    relay.since = Clock::now();
  }
  arrive(relay);
  return true;
}

void Visits::arrive(Relay& relay) {
  relay.arrived = true;
  const std::lock_guard lock(mutex_);
  const int shim = std::exchange(relay.shim, -1);
  if (in_use_) {
    close(shim);
    send(relay.socket, &kInUse, 1, MSG_NOSIGNAL);
    return;
  }
  in_use_ = true;
  waiting_ = Visit{shim, relay.number, std::move(relay.bitstream)};
  changed_.notify_all();
}

// True if a relay that sends nothing can be closed.
bool Visits::is_over(Relay& relay) {
  const auto silence = Clock::now() - relay.since;
  if (!relay.arrived) return silence > kPatience && !is_stopped(relay.process);
  if (!relay.cut_off) return false;
  if (has_ended(relay.host)) return true;
  if (silence > kRelayGrace) losses_.of_relay(relay.process);
  return false;
}

void Visits::close_relay(Relay& relay) {
  if (!relay.arrived) send(relay.socket, &kRefused, 1, MSG_NOSIGNAL);
  if (relay.shim >= 0) close(relay.shim);
  close(relay.socket);
}

std::optional<Visit> Visits::next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return waiting_ || ended_; });
  if (!waiting_) return std::nullopt;
  return std::exchange(waiting_, std::nullopt);
}

void Visits::release(Visit& visit, char answer) {
  if (visit.relay == 0) return;
  const std::lock_guard lock(mutex_);
  in_use_ = false;
  for (const Relay& relay : relays_) {
    if (relay.number == visit.relay) send(relay.socket, &answer, 1, MSG_NOSIGNAL);
  }
  visit.relay = 0;
}

}  // namespace weft::xrt
