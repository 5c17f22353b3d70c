#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace weft::os {

// Returns the interval of reports of long work without a bar on a terminal: a minute; WEFT_ALIVE_SECONDS for tests.
std::chrono::milliseconds alive_interval();

// Returns "GoogLeNet [=====>     ] 45%  76/170  0:31 left": one line of at most `width` columns.
std::string progress_line(const std::string& label, std::int64_t done, std::int64_t total, double seconds, int width,
                          int longest_bar = 40);

// Progress on standard error. On a terminal, a bar, if the work takes longer than two seconds; the destructor clears
// its line. Elsewhere, a line per minute. For one thread at a time.
class Progress {
 public:
  Progress(std::string label, std::int64_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void set_total(std::int64_t total) { total_ = total; }
  void set_label(const std::string& label) { label_ = label; }
  void update(std::int64_t done);
  // Returns a callback that shows work done of work expected, for run::Progress and the like.
  auto watcher() {
    return [this](std::int64_t done, std::int64_t total) {
      set_total(total);
      update(done);
    };
  }
  void clear();  // to be called before other output to standard error

 private:
  using Clock = std::chrono::steady_clock;

  std::string label_;
  std::int64_t total_;
  bool terminal_;
  bool shown_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_;
};

}  // namespace weft::os
