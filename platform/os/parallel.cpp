#include "platform/os/parallel.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "platform/os/failure.h"

namespace weft::os {

void parallel_for(std::size_t count, int workers, const std::function<void(std::size_t)>& work,
                  const std::function<void(std::size_t done)>& watch) {
  std::atomic<std::size_t> next{0}, done{0};
  std::mutex mutex;
  std::condition_variable finished;
  std::size_t active = std::min(count, static_cast<std::size_t>(workers));  // threads
  std::size_t failed = count;
  std::exception_ptr error;
  const auto serve = [&] {
    for (std::size_t index = next++; index < count; index = next++) {
      try {
        work(index);
        ++done;
      } catch (...) {
        const std::lock_guard<std::mutex> lock(mutex);
        if (index < failed) {
          failed = index;
          error = std::current_exception();
        }
        next = count;  // what is smaller has begun
      }
    }
    const std::lock_guard<std::mutex> lock(mutex);
    if (--active == 0) finished.notify_one();
  };
  std::vector<std::thread> threads;
  threads.reserve(active);
  for (std::size_t i = active; i > 0; --i) {
    try {
      threads.emplace_back(serve);
    } catch (const std::system_error& none) {  // the limit of threads: fewer do the same work
      if (threads.empty()) fail("cannot start a thread", none.code().value());
      const std::lock_guard<std::mutex> fewer(mutex);
      active -= i;
      break;
    }
  }
  std::unique_lock<std::mutex> lock(mutex);
  while (!finished.wait_for(lock, std::chrono::milliseconds(100), [&] { return active == 0; })) {
    if (watch) watch(done);
  }
  lock.unlock();
  for (std::thread& thread : threads) thread.join();
  if (error) std::rethrow_exception(error);
}

}  // namespace weft::os
