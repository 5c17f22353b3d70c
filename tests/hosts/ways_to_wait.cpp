// ways_to_wait XCLBIN: waits for launches by the last of several, by polling their state, and by callback.
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "native.h"

namespace {

class Signal {
 public:
  void give() {
    const std::lock_guard<std::mutex> lock(mutex_);
    given_ = true;
    changed_.notify_all();
  }
  void wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return given_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool given_ = false;
};

}  // namespace

int main(int, char** arguments) {
  const auto work = [](const xrt::device& device, const xrt::kernel& kernel) {
    const auto prepared = [&](std::uint32_t seed) {
      return std::make_unique<host::Prepared>(device, kernel,
                                              host::convolution(host::Kind::F, {1, 3, 9, 8, 3, 1, 1}, seed));
    };

    std::vector<std::unique_ptr<host::Prepared>> several;
    for (std::uint32_t i = 0; i < 3; ++i) several.push_back(prepared(i));
    for (auto& each : several) each->run().start();
    several.back()->run().wait();  // the card has one kernel, which runs them in order
    for (auto& each : several) each->check("the last of several");

    const auto asked = prepared(10);
    asked->run().start();
    while (asked->run().state() != ERT_CMD_STATE_COMPLETED) {
    }
    asked->check("asked for its state");

    const auto called = prepared(20);
    Signal done;
    called->run().add_callback(
        ERT_CMD_STATE_COMPLETED, [](const void*, ert_cmd_state, void* signal) { static_cast<Signal*>(signal)->give(); },
        &done);
    called->run().start();
    done.wait();
    called->check("called");

    const auto impatient = prepared(30);
    impatient->run().start();
    while (impatient->run().wait(std::chrono::milliseconds(1)) != ERT_CMD_STATE_COMPLETED) {
    }
    impatient->check("waited for a millisecond at a time");
  };
  return host::run("ways_to_wait", arguments[1], work);
}
