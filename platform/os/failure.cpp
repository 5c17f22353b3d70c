#include "platform/os/failure.h"

#include <fmt/core.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <new>
#include <system_error>

#include "model/core/error.h"

namespace weft::os {

namespace {

struct Resource {
  int code;
  const char* limit;
};
// Exhausted resource, and the command that shows it.
constexpr std::array<Resource, 8> kResources{{{ENOSPC, "the disk is full: df"},
                                              {EDQUOT, "the disk quota of this user is used up: quota"},
                                              {EFBIG, "the limit of the file size: ulimit -f"},
                                              {ENOMEM, "memory: ulimit -v, free"},
                                              {EAGAIN, "the limit of processes: ulimit -u"},
                                              {EMFILE, "the limit of open files: ulimit -n"},
                                              {ENFILE, "the open files of this machine: sysctl fs.file-max"},
                                              {EIO, "the disk fails"}}};

}  // namespace

void fail(const std::string& what, int code) {
  const std::string text = fmt::format("{}: {}", what, std::strerror(code));
  for (const Resource& each : kResources) {
    if (each.code == code) throw MachineError(fmt::format("{} ({})", text, each.limit));
  }
  throw Error(text);
}

Ending ending_of(const std::exception_ptr& exception) {
  constexpr int kFailed = 1, kWrongInput = 2, kNoProgress = 3;
  try {
    std::rethrow_exception(exception);
  } catch (const Mismatch& error) {
    return {kFailed, "error", error.what()};
  } catch (const MachineError& error) {
    return {kFailed, "error", error.what()};
  } catch (const Error& error) {
    return {kWrongInput, "error", error.what()};
  } catch (const Deadlock& error) {
    return {kNoProgress, "deadlock", error.what()};
  } catch (const std::bad_alloc&) {
    return {kFailed, "error", "not enough memory (ulimit -v, free): use fewer --workers"};
  } catch (const std::system_error& error) {
    // Errors of the standard library: threads, locks and files.
    try {
      fail(error.what(), error.code().value());
    } catch (const std::exception& named) {
      return {kFailed, "error", named.what()};
    }
  } catch (const std::exception& error) {
    return {kFailed, "internal error", error.what()};
  } catch (...) {
    return {kFailed, "internal error", "an exception of an unknown type"};
  }
}

}  // namespace weft::os
