#include <fmt/core.h>

#include <cstdio>
#include <exception>
#include <string>

#include "model/core/error.h"
#include "model/core/text.h"
#include "tools/command_line.h"

namespace {

// One line, whatever a user's file or argument contained.
void report(const char* kind, const std::string& message) {
  fmt::print(stderr, "weft: {}: {}\n", kind, weft::printable(message));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return weft::tools::parse_command_line(argc, argv)();
  } catch (const weft::Mismatch& error) {
    report("error", error.what());
    return weft::tools::kInternalError;
  } catch (const weft::Error& error) {
    report("error", error.what());
    return weft::tools::kUserError;
  } catch (const weft::Deadlock& error) {
    report("deadlock", error.what());
    return weft::tools::kDeadlock;
  } catch (const std::exception& error) {
    report("internal error", error.what());
    return weft::tools::kInternalError;
  }
}
