// ends XCLBIN INTERFACE HOW THREADS PAUSE: starts a convolution per thread by `native` or `opencl`, and ends PAUSE
// microseconds later without having waited. HOW: return, throw, exit, abort or signal. With several threads, every
// other one waits meanwhile. Prints the seconds of the steady clock at the end.
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <thread>

#include "native.h"
#include "opencl.h"

namespace {

const host::Convolution& work() {
  static const host::Convolution convolution = host::convolution(host::Kind::F, {1, 3, 9, 8, 3, 1, 1});
  return convolution;
}

// Starts a convolution, calls `started`, and with `wait` waits for it. Returns all that the convolution needs.
using Start = std::function<std::shared_ptr<void>(bool wait, const std::function<void()>& started)>;

int end(const std::string& how, int pause_us) {
  const std::map<std::string, std::function<int()>> ways{
      {"return", [] { return 5; }},
      {"throw", []() -> int { throw std::runtime_error("the program's own"); }},
      {"exit", []() -> int { std::exit(7); }},
      {"abort", []() -> int { std::abort(); }},
      {"signal", [] { return std::raise(SIGTERM); }}};
  std::this_thread::sleep_for(std::chrono::microseconds(pause_us));
  const std::chrono::duration<double> now = std::chrono::steady_clock::now().time_since_epoch();
  std::fprintf(stderr, "%.6f\n", now.count());
  std::printf("ends: %s\n", how.c_str());  // printed at the end, unless the program is killed
  return ways.at(how)();
}

int start_and_end(const Start& start, const std::string& how, int threads, int pause_us) {
  std::atomic<int>* const left = new std::atomic<int>(threads);  // threads may outlive this function
  for (int i = 1; i < threads; ++i) {
    std::thread([start, left, i] { start(i % 2 == 1, [left] { --*left; }); }).detach();
  }
  const std::shared_ptr<void> own = start(false, [left] { --*left; });
  while (*left > 0) std::this_thread::yield();
  return end(how, pause_us);
}

template <class Prepared>
std::shared_ptr<void> started(std::shared_ptr<Prepared> prepared, bool wait, const std::function<void()>& started) {
  prepared->start();
  started();
  if (wait) prepared->wait();
  return prepared;
}

int native(const char* xclbin, const std::string& how, int threads, int pause_us) {
  xrt::device device(0);
  const xrt::uuid uuid = device.load_xclbin(xclbin);
  const xrt::kernel kernel(device, uuid, "fpgpt");
  const Start start = [device, kernel](bool wait, const std::function<void()>& then) {
    return started(std::make_shared<host::Prepared>(device, kernel, work()), wait, then);
  };
  return start_and_end(start, how, threads, pause_us);
}

int opencl(const char* xclbin, const std::string& how, int threads, int pause_us) {
  const auto card = std::make_shared<host::opencl::Card>(xclbin);
  const Start start = [card](bool wait, const std::function<void()>& then) {
    return started(std::make_shared<host::opencl::Prepared>(*card, work()), wait, then);
  };
  return start_and_end(start, how, threads, pause_us);
}

}  // namespace

int main(int, char** arguments) try {
  const bool is_native = std::strcmp(arguments[2], "native") == 0;
  return (is_native ? native : opencl)(arguments[1], arguments[3], std::atoi(arguments[4]), std::atoi(arguments[5]));
} catch (const std::exception& error) {
  std::printf("ends: %s\n", error.what());
  return 6;
}
