#include "platform/studies/sweep/workers/worker_group.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "model/core/text.h"
#include "platform/os/failure.h"
#include "platform/os/process.h"
#include "platform/os/standard_streams.h"

namespace weft::sweep {

namespace {

// Sends all bytes; returns false if the peer has closed.
bool send_all(int socket, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t sent = ::send(socket, data, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    data += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return true;
}

bool receive_all(int socket, char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t got = ::recv(socket, data, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    data += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

std::string death_text(int status) {
  if (WIFSIGNALED(status)) {
    return fmt::format("ended by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  }
  return fmt::format("ended with exit code {}", WEXITSTATUS(status));
}

}  // namespace

LocalWorkers::LocalWorkers(int workers, Work work)
    : work_(std::move(work)), workers_(static_cast<std::size_t>(workers)) {
  for (Worker& worker : workers_) start(worker);
}

LocalWorkers::~LocalWorkers() {
  for (Worker& worker : workers_) {
    if (worker.process > 0) ::kill(worker.process, SIGKILL);
  }
  for (Worker& worker : workers_) reap(worker);
}

void LocalWorkers::start(Worker& worker) {
  std::array<int, 2> sockets{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) != 0) {
    os::fail("cannot talk to a worker process", errno);
  }
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) {
    const int reason = errno;
    ::close(sockets[0]);
    ::close(sockets[1]);
    os::fail("cannot start a worker process", reason);
  }
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
    // An interrupt of the terminal is handled by the process that records results.
    std::signal(SIGINT, SIG_IGN);
    std::signal(SIGTERM, SIG_DFL);
    for (const Worker& other : workers_) {
      if (other.socket >= 0) ::close(other.socket);
    }
    ::close(sockets[0]);
    serve(sockets[1]);
  }
  ::close(sockets[1]);
  worker = {child, sockets[0], false, ""};
}

void LocalWorkers::serve(int socket) {
  std::int64_t point = 0;
  while (receive_all(socket, reinterpret_cast<char*>(&point), sizeof point)) {
    std::string bytes;
    try {
      bytes = work_(point);
    } catch (...) {  // fault of this machine, not of the point, which is run again
      os::say(fmt::format("weft: a worker process ends in point {}: {}\n", point,
                          printable(os::ending_of(std::current_exception()).text)));
      ::_exit(1);
    }
    const std::uint64_t size = bytes.size();
    if (!send_all(socket, reinterpret_cast<const char*>(&size), sizeof size)) break;
    if (!send_all(socket, bytes.data(), bytes.size())) break;
  }
  ::_exit(0);  // skips destructors and buffers, which belong to the parent
}

std::string LocalWorkers::reap(Worker& worker) {
  if (worker.process <= 0) return "";
  int status = 0;
  while (::waitpid(worker.process, &status, 0) < 0 && errno == EINTR) {
  }
  ::close(worker.socket);
  worker = {};
  return death_text(status);
}

void LocalWorkers::give(int worker, std::int64_t point) {
  // A dead worker is noticed by wait().
  send_all(workers_[static_cast<std::size_t>(worker)].socket, reinterpret_cast<const char*>(&point), sizeof point);
}

void LocalWorkers::read_from(std::size_t index, std::vector<Event>& events) {
  Worker& worker = workers_[index];
  std::array<char, 65536> buffer{};
  const ssize_t got = ::recv(worker.socket, buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (got <= 0) {
    const std::string name = this->name(static_cast<int>(index));
    events.push_back({Event::Kind::Died, static_cast<int>(index), fmt::format("{} {}", name, reap(worker))});
    start(worker);
    return;
  }
  worker.received.append(buffer.data(), static_cast<std::size_t>(got));
  std::uint64_t size = 0;
  if (worker.received.size() < sizeof size) return;
  std::memcpy(&size, worker.received.data(), sizeof size);
  if (worker.received.size() < sizeof size + size) return;
  events.push_back({Event::Kind::Done, static_cast<int>(index), worker.received.substr(sizeof size, size)});
  worker.received.clear();
}

std::vector<Event> LocalWorkers::wait(int milliseconds) {
  std::vector<Event> events;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    if (workers_[i].announced) continue;
    workers_[i].announced = true;
    events.push_back({Event::Kind::Ready, static_cast<int>(i), ""});
  }
  if (!events.empty()) milliseconds = 0;
  std::vector<pollfd> sockets;
  sockets.reserve(workers_.size());
  for (const Worker& worker : workers_) sockets.push_back({worker.socket, POLLIN, 0});
  if (::poll(sockets.data(), sockets.size(), milliseconds) <= 0) return events;
  for (std::size_t i = 0; i < sockets.size(); ++i) {
    if (sockets[i].revents != 0) read_from(i, events);
  }
  return events;
}

std::string LocalWorkers::name(int worker) const {
  return fmt::format("process {} on {}", workers_[static_cast<std::size_t>(worker)].process, os::host_name());
}

}  // namespace weft::sweep
