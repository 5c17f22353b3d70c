#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace weft::xrt {

// A program's shim that has loaded an xclbin: its socket and what it loaded.
struct Visit {
  int shim = -1;
  int relay = -1;
  std::string bitstream;
};

// The card's side of the relays: shims come one after the other, while the card's own thread serves one. It also
// notices when the launcher is gone. One at a time: a second program is told at once that the card is in use.
class Visits {
 public:
  // `listener`: where relays connect; `launcher`: what the launcher writes kProgramEnded to when the program is over,
  // and whose end without that means that it was killed, upon which `orphaned` is called, on a thread of this.
  Visits(int listener, int launcher, std::function<void(pid_t program)> orphaned);
  ~Visits();
  Visits(const Visits&) = delete;
  Visits& operator=(const Visits&) = delete;

  // Waits for a shim; nothing once the program has ended.
  std::optional<Visit> next();
  // The relay may go, with an answer of handover.h, and another shim may come.
  void release(Visit& visit, char answer);

  static constexpr char kProgramEnded = 'x';

 private:
  void watch();
  void receive();

  int listener_, launcher_;
  std::function<void(pid_t)> orphaned_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Visit> waiting_;
  bool in_use_ = false, ended_ = false;
  int stop_ = -1;
  std::thread thread_;
};

// A listening socket at `path` that only this user can reach. Throws Error.
int listen_at(const std::filesystem::path& path);

}  // namespace weft::xrt
