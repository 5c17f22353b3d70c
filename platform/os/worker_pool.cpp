#include "platform/os/worker_pool.h"

#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <new>
#include <numeric>
#include <system_error>
#include <thread>

#include "model/core/error.h"
#include "platform/os/failure.h"
#include "platform/os/work_queue.h"

namespace weft::os {

namespace {

constexpr std::size_t kMessageBytes = 4096;
constexpr auto kPoll = std::chrono::milliseconds(2);

// The last three: an exception ended the job; as the end of a program it would have exit code 2, 3 or 1.
enum class JobState : int { Waiting, Running, Done, WrongInput, NoProgress, Broken };

JobState state_of(const Ending& ending) {
  if (ending.exit_code == 2) return JobState::WrongInput;
  return ending.exit_code == 3 ? JobState::NoProgress : JobState::Broken;
}

struct JobHeader {
  std::atomic<JobState> state{JobState::Waiting};
  std::atomic<Cycles> progress{0};
};

std::vector<std::size_t> longest_first(const std::vector<std::int64_t>& weights) {
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return weights[a] > weights[b]; });
  return order;
}

}  // namespace

// Layout of the shared mapping: this header, the job headers, then the results.
struct WorkerPool::Shared {
  std::atomic<std::size_t> next{0};  // of LongestFirst
  WorkQueue shares;                  // of Locality
  std::atomic<bool> stop{false};     // a worker died
  std::array<std::atomic<std::int64_t>, kMaxWorkers> job_of_worker{};
  // The failed job with the smallest number, and its message; written under `message_lock`, held to copy a text.
  std::atomic_flag message_lock = ATOMIC_FLAG_INIT;
  std::atomic<std::size_t> failed_job{SIZE_MAX};
  std::array<char, kMessageBytes> message{};

  JobHeader* jobs() { return reinterpret_cast<JobHeader*>(this + 1); }
  char* results(std::size_t jobs_count) { return reinterpret_cast<char*>(jobs() + jobs_count); }
};

int processors() {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

WorkerPool::WorkerPool(std::size_t jobs, std::size_t result_bytes, int workers)
    : jobs_(jobs),
      result_bytes_(static_cast<std::size_t>(align_up(static_cast<std::int64_t>(result_bytes), 64))),
      workers_(std::clamp<int>(workers, 1,
                               static_cast<int>(std::min<std::size_t>(kMaxWorkers, std::max<std::size_t>(jobs, 1))))),
      bytes_(sizeof(Shared) + jobs * (sizeof(JobHeader) + result_bytes_) + 64) {
  void* const memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    fail(fmt::format("cannot share {} bytes with worker processes", bytes_), errno);
  }
  shared_ = new (memory) Shared;
  for (std::size_t i = 0; i < jobs_; ++i) new (shared_->jobs() + i) JobHeader;
}

WorkerPool::~WorkerPool() {
  munmap(shared_, bytes_);
}

const void* WorkerPool::result(std::size_t job) const {
  return shared_->results(jobs_) + job * result_bytes_;
}

void WorkerPool::serve(int worker, const Next& next, const Work& work) {
  const auto note = [&](std::size_t job, JobState state, const char* text) {
    while (shared_->message_lock.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
    if (job < shared_->failed_job) {
      shared_->failed_job = job;
      std::strncpy(shared_->message.data(), text, kMessageBytes - 1);
    }
    shared_->message_lock.clear(std::memory_order_release);
    shared_->jobs()[job].state = state;
  };
  while (!shared_->stop) {
    const std::optional<std::size_t> turn = next(worker);
    if (!turn) break;
    const std::size_t job = *turn;
    // A smaller job may fail as well; the smallest failed job is reported, regardless of their order in time.
    if (job > shared_->failed_job) continue;
    JobHeader& header = shared_->jobs()[job];
    shared_->job_of_worker[static_cast<std::size_t>(worker)] = static_cast<std::int64_t>(job);
    header.state = JobState::Running;
    try {
      work(job, shared_->results(jobs_) + job * result_bytes_, [&](Cycles progress) { header.progress = progress; });
      header.state = JobState::Done;
    } catch (...) {
      const Ending ending = ending_of(std::current_exception());
      note(job, state_of(ending), ending.text.c_str());
    }
    shared_->job_of_worker[static_cast<std::size_t>(worker)] = -1;
  }
  _exit(0);  // without the parent's destructors and buffers
}

bool WorkerPool::done(std::size_t job) const {
  return shared_->jobs()[job].state == JobState::Done;
}

std::int64_t WorkerPool::work_done(const std::vector<std::int64_t>& weights) const {
  std::int64_t done = 0;
  for (std::size_t job = 0; job < jobs_; ++job) {
    const JobHeader& header = shared_->jobs()[job];
    if (header.state == JobState::Done) {
      done += weights[job];
    } else {
      done += std::min<std::int64_t>(weights[job], header.progress);
    }
  }
  return done;
}

void WorkerPool::rethrow() const {
  if (shared_->failed_job == SIZE_MAX) return;
  const std::string message = shared_->message.data();
  switch (shared_->jobs()[shared_->failed_job].state) {
    case JobState::NoProgress:
      throw Deadlock(message);
    case JobState::Broken:
      throw MachineError(message);
    default:
      throw Error(message);
  }
}

void WorkerPool::run(Deal deal, const std::vector<std::int64_t>& weights, const Work& work, const Watch& watch,
                     const volatile std::sig_atomic_t* interrupt) {
  Next next;
  if (deal == Deal::Locality) {
    shared_->shares.deal(weights, workers_);
    next = [this, &weights](int worker) { return shared_->shares.take(worker, weights); };
  } else {
    next = [this, order = longest_first(weights)](int) -> std::optional<std::size_t> {
      const std::size_t turn = shared_->next.fetch_add(1);
      return turn < order.size() ? std::optional(order[turn]) : std::nullopt;
    };
  }
  std::vector<pid_t> children;
  const pid_t parent = getpid();
  for (int worker = 0; worker < workers_; ++worker) {
    shared_->job_of_worker[static_cast<std::size_t>(worker)] = -1;
    const pid_t child = fork();
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);  // never outlives a parent that was killed
      if (getppid() != parent) _exit(1);
      if (interrupt) {  // the parent handles it
        for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, SIG_IGN);
      }
      serve(worker, next, work);
    }
    if (child < 0) {
      if (!children.empty()) break;  // fewer workers do the same work
      fail("cannot start a worker process", errno);
    }
    children.push_back(child);
  }
  std::string death;
  std::size_t alive = children.size();
  auto next_watch = std::chrono::steady_clock::now();
  while (alive > 0) {
    if (interrupt && *interrupt != 0) {
      for (const pid_t child : children) {
        if (child == 0) continue;
        ::kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
      }
      return;
    }
    for (std::size_t i = 0; i < children.size(); ++i) {
      int status = 0;
      if (children[i] == 0 || waitpid(children[i], &status, WNOHANG) != children[i]) continue;
      children[i] = 0;
      --alive;
      if (WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
      shared_->stop = true;
      death =
          fmt::format("a worker process ended with {} {} in job {}", WIFSIGNALED(status) ? "signal" : "status",
                      WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), shared_->job_of_worker[i].load());
    }
    const auto now = std::chrono::steady_clock::now();
    if (watch && now >= next_watch) {
      watch(work_done(weights));
      next_watch = now + std::chrono::milliseconds(100);
    }
    if (alive > 0) std::this_thread::sleep_for(kPoll);
  }
  rethrow();
  if (!death.empty()) throw MachineError(death);
}

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
        next = count;  // smaller indices have begun
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
    } catch (const std::system_error& none) {  // at the limit of threads, fewer do the same work
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
