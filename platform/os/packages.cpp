#include "platform/os/packages.h"

#include <fmt/core.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <mutex>
#include <set>
#include <vector>

#include "model/core/error.h"
#include "platform/os/failure.h"
#include "platform/os/process.h"

namespace weft::os {

namespace {

// The launcher's shell would take a quarter of a minute to say that it cannot start a process.
void require_processes() {
  constexpr int kOfLauncher = 6;
  std::vector<pid_t> children;
  int reason = 0;
  while (reason == 0 && children.size() < kOfLauncher) {
    const pid_t child = fork();
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      for (;;) pause();
    }
    if (child > 0) children.push_back(child);
    if (child < 0) reason = errno;
  }
  for (const pid_t child : children) {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  if (reason != 0) fail("cannot start a process", reason);
}

}  // namespace

void require_packages(const std::filesystem::path& source, const std::string& list) {
  static std::mutex mutex;
  static std::set<std::string> there;
  const std::lock_guard lock(mutex);
  if (there.count(list) > 0) return;
  require_processes();
  if (run({{source / "weft", "install", list}}) != 0) {
    throw Error(
        fmt::format("the packages of '{}' are not all there", (source / ("packages-" + list + ".txt")).string()));
  }
  there.insert(list);
}

}  // namespace weft::os
