#include "platform/os/progress.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "platform/os/standard_streams.h"

namespace weft::os {

namespace {

constexpr std::chrono::seconds kQuiet{2};
constexpr std::chrono::milliseconds kRefresh{100};

int terminal_width() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

std::string progress_line(const std::string& label, std::int64_t done, std::int64_t total, double seconds, int width,
                          int longest_bar) {
  done = std::clamp<std::int64_t>(done, 0, total);
  const double share = total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 0;
  std::string tail = fmt::format(" {:3.0f}%  {}/{}", share * 100, done, total);
  if (done > 0 && done < total) {
    const std::int64_t left = std::llround(seconds * (1 - share) / share);
    tail += fmt::format("  {}:{:02} left", left / 60, left % 60);
  }
  const int room = width - static_cast<int>(label.size() + tail.size()) - 3;
  const int bar = std::min(room, longest_bar);
  std::string line = label;
  if (bar >= 5) {
    const int filled = static_cast<int>(share * bar);
    line += " [" + std::string(static_cast<std::size_t>(filled), '=') +
            std::string(static_cast<std::size_t>(bar - filled), ' ') + "]";
  }
  line += tail;
  return line.substr(0, static_cast<std::size_t>(std::max(width, 0)));
}

Progress::Progress(std::string label, std::int64_t total)
    : label_(std::move(label)),
      total_(total),
      terminal_(::isatty(STDERR_FILENO) == 1),
      next_(start_ + (terminal_ ? kQuiet : os::alive_interval())) {}

Progress::~Progress() {
  clear();
}

void Progress::clear() {
  if (shown_) std::fputs("\r\033[K", stderr);
  shown_ = false;
}

void Progress::update(std::int64_t done) {
  const auto now = Clock::now();
  if (now < next_) return;
  next_ = now + (terminal_ ? kRefresh : os::alive_interval());
  const double seconds = std::chrono::duration<double>(now - start_).count();
  if (!terminal_) {
    constexpr int kNoBar = 0, kLine = 1000;
    os::say(fmt::format("weft: {}\n", progress_line(label_, done, total_, seconds, kLine, kNoBar)));
    return;
  }
  // One column short of the edge: a full line would wrap.
  os::say(fmt::format("\r\033[K{}", progress_line(label_, done, total_, seconds, terminal_width() - 1)));
  std::fflush(stderr);
  shown_ = true;
}

std::chrono::milliseconds alive_interval() {
  constexpr long kMinute = 60;
  const char* const text = std::getenv("WEFT_ALIVE_SECONDS");
  const long seconds = text ? std::strtol(text, nullptr, 10) : kMinute;
  return std::chrono::seconds(seconds > 0 ? seconds : kMinute);
}

}  // namespace weft::os
