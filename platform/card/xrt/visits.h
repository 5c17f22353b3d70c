#pragma once

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace weft::xrt {

// A program's shim that has loaded an xclbin: its socket and the bitstream.
struct Visit {
  int shim = -1;
  std::uint64_t relay = 0;  // number of its relay; 0: released
  std::string bitstream;
};

// Handlers of losses before the program has ended; called on a thread of Visits, and must not return.
struct Losses {
  std::function<void(pid_t program)> of_launcher;
  std::function<void(pid_t relay)> of_relay;  // the program lives, and would wait for ever
};

// The card's connections to the relays: takes shims one after the other, while the card's own thread serves one. It
// also detects that the launcher or a relay was killed. A second program at the same time is told that the card is in
// use. Time limits do not count for a stopped process.
class Visits {
 public:
  // `listener`: socket to which relays connect. `launcher`: pipe to which the launcher writes kProgramEnded at the
  // program's end; if it closes without that, the launcher was killed. Throws if the thread cannot be started.
  Visits(int listener, int launcher, Losses losses);
  ~Visits();
  Visits(const Visits&) = delete;
  Visits& operator=(const Visits&) = delete;

  // Waits for a shim; returns nothing once the program has ended.
  std::optional<Visit> next();
  // Sends the relay an answer of handover.h, after which it may end, and lets another shim come.
  void release(Visit& visit, char answer);

  static constexpr char kProgramEnded = 'x';

 private:
  using Clock = std::chrono::steady_clock;

  // A relay's connection: receives the handover first, then the relay's last byte.
  struct Relay {
    std::uint64_t number = 0;
    int socket = -1;
    pid_t process = 0, host = 0;
    int shim = -1;
    std::size_t bytes = 0;  // of the bitstream
    std::string bitstream;
    bool arrived = false, cut_off = false;
    Clock::time_point since;  // time of the last byte, or of the cut
  };

  void watch();
  void accept_relay();
  bool hear(Relay& relay);
  bool hear_arriving(Relay& relay);
  bool is_over(Relay& relay);
  void arrive(Relay& relay);
  void close_relay(Relay& relay);

  int listener_, launcher_;
  Losses losses_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Relay> relays_;  // only the thread changes them
  std::uint64_t last_number_ = 0;
  std::optional<Visit> waiting_;
  bool in_use_ = false, ended_ = false;
  int stop_ = -1;
  std::thread thread_;
};

// A listening socket at `path` that only this user can reach. Throws Error.
int listen_at(const std::filesystem::path& path);

}  // namespace weft::xrt
