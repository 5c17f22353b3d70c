#pragma once

#include <dlfcn.h>

#include <cstring>
#include <initializer_list>

#include "platform/card/xrt/host_order.h"

// Parts of the library that is preloaded into a host program.
namespace weft::xrt {

// Function `name` of a library that is loaded; nullptr if it is not. RTLD_NEXT would fail: the caller may have loaded
// the library with RTLD_LOCAL.
template <class Function>
Function function_of(const char* library, const char* name) {
  void* const handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
  return reinterpret_cast<Function>(handle ? dlsym(handle, name) : nullptr);
}
template <class Function>
Function of_xrt(const char* name) {
  return function_of<Function>("libxrt_coreutil.so.2", name);
}
template <class Function>
Function of_opencl(const char* name) {
  return function_of<Function>("libOpenCL.so.1", name);
}

// True if an address is in a library whose file name contains one of `names`.
inline bool is_in(const void* address, std::initializer_list<const char*> names) {
  Dl_info info{};
  if (dladdr(address, &info) == 0 || !info.dli_fname) return false;
  for (const char* const name : names) {
    if (std::strstr(info.dli_fname, name)) return true;
  }
  return false;
}

// Record of the order of calls; a record that nobody reads if the program runs on no card.
HostOrder& host_order();

// Simulated time: picoseconds at the last answer of the card; 0 if there is no card.
std::int64_t card_time_ps();

// To be called for each call that accesses the card, by the program's thread.
void count_thread();

// Operation of OpenCL that this thread has carried out on the card, in simulated picoseconds.
struct Operation {
  std::int64_t start_ps = 0, end_ps = 0;
};
void carried_out(const Operation& operation);

// True if all launches of XRT's native and C interface, or all commands of OpenCL, that the program began are over.
bool launches_are_over();
bool commands_are_over();

}  // namespace weft::xrt
