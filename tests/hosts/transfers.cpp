// transfers XCLBIN [MIB]: transfers both ways, longer than a message of XRT's emulation, from any byte on. With MIB:
// one buffer of this size, and the GB/s each way.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "native.h"

namespace {

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::vector<unsigned char> bytes(std::size_t count) {
  std::vector<unsigned char> all(count);
  std::uint32_t state = 1;
  for (unsigned char& each : all) {
    state = state * 1664525 + 1013904223;
    each = static_cast<unsigned char>(state >> 24);
  }
  return all;
}

void require(bool condition, const char* what) {
  if (!condition) throw std::runtime_error(what);
}

void rates(const xrt::device& device, const xrt::kernel& kernel, std::size_t count) {
  const std::vector<unsigned char> sent = bytes(count);
  xrt::bo buffer(device, count, kernel.group_id(host::kInp));
  buffer.write(sent.data());
  const double begin = seconds();
  buffer.sync(XCL_BO_SYNC_BO_TO_DEVICE);
  const double there = seconds();
  std::memset(buffer.map<char*>(), 0, count);
  const double back = seconds();
  buffer.sync(XCL_BO_SYNC_BO_FROM_DEVICE);
  const double end = seconds();
  require(std::memcmp(buffer.map<char*>(), sent.data(), count) == 0, "other bytes came back");
  const double giga = static_cast<double>(count) / 1e9;
  std::printf("%.3f GB/s to the card, %.3f GB/s back\n", giga / (there - begin), giga / (end - back));
}

}  // namespace

int main(int count, char** arguments) try {
  xrt::device device(0);
  const xrt::uuid uuid = device.load_xclbin(arguments[1]);
  const xrt::kernel kernel(device, uuid, "fpgpt");
  if (count > 2) {
    rates(device, kernel, std::strtoul(arguments[2], nullptr, 10) << 20);
    return 0;
  }
  const std::size_t total = (std::size_t{5} << 20) / 2 + 13;
  const std::vector<unsigned char> sent = bytes(total);
  for (const int argument : {host::kInp, host::kKern, host::kOut}) {
    xrt::bo buffer(device, total, kernel.group_id(argument));
    buffer.write(sent.data());
    buffer.sync(XCL_BO_SYNC_BO_TO_DEVICE);
    // Three parts at odd offsets: more than 1 MiB, one byte, and 77 bytes.
    auto* const mapped = buffer.map<unsigned char*>();
    for (const auto& [offset, size] : {std::pair<std::size_t, std::size_t>{1, (1 << 20) + 6}, {12345, 1}, {4097, 77}}) {
      std::memset(mapped, 0xee, total);
      buffer.sync(XCL_BO_SYNC_BO_FROM_DEVICE, size, offset);
      require(std::memcmp(mapped + offset, sent.data() + offset, size) == 0, "a part came back otherwise");
      require(mapped[offset - 1] == 0xee && mapped[offset + size] == 0xee, "more came back than was asked for");
      std::memset(mapped + offset, 0x5a, size);
      buffer.sync(XCL_BO_SYNC_BO_TO_DEVICE, size, offset);
      buffer.sync(XCL_BO_SYNC_BO_FROM_DEVICE);
      require(mapped[offset] == 0x5a && mapped[offset + size - 1] == 0x5a, "a part was not written");
      require(mapped[offset - 1] == sent[offset - 1] && mapped[offset + size] == sent[offset + size],
              "more was written than was asked for");
      buffer.write(sent.data());
      buffer.sync(XCL_BO_SYNC_BO_TO_DEVICE);
    }
  }
  std::puts("transfers: as they must be");
} catch (const std::exception& error) {
  std::fprintf(stderr, "transfers: %s\n", error.what());
  return 1;
}
