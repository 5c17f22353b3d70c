#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

// Record that the programs of a run and the card share, by a file in the folder of the run: the order of the calls that
// the programs make (host_calls.cpp). Also included by a library that does not link weft's libraries.
namespace weft::xrt {

inline constexpr const char* kHostOrderFile = "host-order";

struct HostOrder {
  static constexpr std::size_t kStarts = 1 << 16;  // starts that are kept: more are never under way

  // Calls whose place in the order of the card's accesses depends on this machine: accesses during a launch, or a
  // command of OpenCL, that the program had not waited for; and calls of a thread that did not wait for the thread of
  // the call before.
  std::atomic<std::uint64_t> unordered, racing;
  // Launches, and commands of OpenCL, that the programs do not know to be over.
  std::atomic<std::uint64_t> unfinished;
  // Starts of XRT's runs; transfers that programs have begun, each a call, which the shim's messages do not say.
  std::atomic<std::uint64_t> starts, transfers;
  // For start n, at n % kStarts: true if the program did not know then that the previous launch was over; and bit i is
  // set if the program had not set argument i.
  std::array<std::atomic<bool>, kStarts> queued;
  std::array<std::atomic<std::uint64_t>, kStarts> unset;
  // Launches whose OUT was read back before the program had waited for them, and the start of the first, from 1 on.
  std::atomic<std::uint64_t> early, first_early;
  // Simulated time in picoseconds, written by the card before each answer: now, and the start of the last transfer.
  // `settling`: the card has not yet computed the time of its last answer, a full message.
  std::atomic<std::int64_t> now_ps, transfer_start_ps;
  std::atomic<bool> settling;
  // Start and end of the kernel of start n, at n % kStarts.
  std::array<std::atomic<std::int64_t>, kStarts> launch_start_ps, launch_end_ps;
  // Written by the card: number of arguments of the kernel that is loaded, and which of them is the address of OUT.
  std::atomic<std::uint64_t> arguments, out_argument;

  void read_early(std::uint64_t start) {
    std::uint64_t none = 0;
    first_early.compare_exchange_strong(none, start);
    ++early;
  }
};

// Maps the record in the folder of a run; nullptr if there is none.
inline HostOrder* map_host_order(const std::string& folder) {
  const int file = open((folder + "/" + kHostOrderFile).c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return nullptr;
  void* const at = mmap(nullptr, sizeof(HostOrder), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  return at == MAP_FAILED ? nullptr : static_cast<HostOrder*>(at);
}

}  // namespace weft::xrt
