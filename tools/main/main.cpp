#include <fmt/core.h>

#include <exception>

#include "model/core/text.h"
#include "platform/os/failure.h"
#include "platform/os/standard_streams.h"
#include "tools/main/command_line.h"

int main(int argc, char** argv) {
  weft::os::expect_failed_writes();
  try {
    return weft::tools::parse_command_line(argc, argv)();
  } catch (const weft::os::BrokenPipe&) {
    weft::os::end_by_broken_pipe();
  } catch (...) {
    const weft::os::Ending ending = weft::os::ending_of(std::current_exception());
    // Control characters are escaped, so that the message is one line.
    weft::os::say(fmt::format("weft: {}: {}\n", ending.kind, weft::printable(ending.text)));
    return ending.exit_code;
  }
}
