// faults XCLBIN WHAT: a program with a fault. It prints "ready" when it has the card.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "native.h"

namespace {

struct Opened {
  xrt::device device{0};
  xrt::uuid uuid;
  explicit Opened(const char* xclbin) : uuid(device.load_xclbin(xclbin)) {}
  xrt::kernel kernel(xrt::kernel::cu_access_mode mode = xrt::kernel::cu_access_mode::shared) const {
    return xrt::kernel(device, uuid, "fpgpt", mode);
  }
};

constexpr auto kExclusive = xrt::kernel::cu_access_mode::exclusive;

void wait_for_ever(Opened&) {
  for (;;) pause();
}

// Queries the card forever, so that it notices the card's end.
void poll_for_ever(Opened& card) {
  const xrt::kernel kernel = card.kernel(kExclusive);
  for (;;) kernel.read_register(4);
}

void die(Opened&) {
  raise(SIGKILL);
}

void fill_bank(Opened& card) {
  const xrt::kernel kernel = card.kernel();
  std::vector<xrt::bo> buffers;
  for (;;)
    buffers.emplace_back(card.device, std::size_t{4} << 30, xrt::bo::flags::device_only, kernel.group_id(host::kInp));
}

void no_such_kernel(Opened& card) {
  const xrt::kernel kernel(card.device, card.uuid, "gemm");
}

// Starts again without waiting for the first.
void start_twice(Opened& card) {
  xrt::kernel kernel = card.kernel(kExclusive);
  const host::Convolution c = host::convolution(host::Kind::F, {1, 3, 9, 8, 3, 1, 1});
  host::Prepared convolution(card.device, kernel, c);
  convolution.run().start();  // writes its registers
  convolution.run().wait();
  kernel.write_register(0, 1);
  kernel.write_register(0x28, 0);  // also ignored
  kernel.write_register(0, 1);
  while ((kernel.read_register(0) & 2) == 0) {
  }
  convolution.check("started twice");
  if (kernel.read_register(0x28) != c.sizes[2]) throw std::runtime_error("a register changed while the kernel ran");
}

void write_beyond_registers(Opened& card) {
  xrt::kernel kernel = card.kernel(kExclusive);
  kernel.write_register(0x20000, 1);
}

// Writes an address outside all banks to the register of INP.
void read_beyond_banks(Opened& card) {
  xrt::kernel kernel = card.kernel(kExclusive);
  host::Prepared convolution(card.device, kernel, host::convolution(host::Kind::F, {1, 3, 9, 8, 3, 1, 1}));
  convolution.run().start();
  convolution.run().wait();
  kernel.write_register(0x6c, 0);
  kernel.write_register(0x70, 0x90);
  kernel.write_register(0, 1);
  while ((kernel.read_register(0) & 2) == 0) {
  }
  std::printf("STATUS %u\n", kernel.read_register(4));
}

// Computes a million images, one after the other.
void compute_for_ever(Opened& card) {
  xrt::kernel kernel = card.kernel(kExclusive);
  host::Prepared convolution(card.device, kernel, host::convolution(host::Kind::F, {1, 3, 9, 8, 3, 1, 1}));
  convolution.run().start();
  convolution.run().wait();
  kernel.write_register(0x28, 1'000'000);
  std::puts("started");
  std::fflush(stdout);
  kernel.write_register(0, 1);
}

// Computes what `change` makes of a sound convolution of two images.
std::function<void(Opened&)> computes(const std::function<void(host::Convolution&)>& change, int arguments = 27) {
  return [=](const Opened& card) {
    host::Convolution c = host::convolution(host::Kind::F, {2, 3, 9, 8, 3, 1, 1});
    change(c);
    host::Prepared convolution(card.device, card.kernel(), c, arguments);
    convolution.start();
    convolution.wait();
    host::content(convolution.out(), 1);
  };
}

void read_early(Opened& card) {
  host::Prepared convolution(card.device, card.kernel(), host::convolution(host::Kind::F, {1, 3, 9, 8, 3, 1, 1}));
  for (int i = 0; i < 2; ++i) {
    convolution.start();
    if (i == 1) host::content(convolution.out(), 1);
    convolution.wait();
  }
  host::content(convolution.out(), 1);
}

void never_read(Opened& card) {
  host::Prepared convolution(card.device, card.kernel(), host::convolution(host::Kind::F, {1, 3, 9, 8, 3, 1, 1}));
  convolution.start();
  convolution.wait();
}

const std::map<std::string, std::function<void(Opened&)>> kFaults{
    {"wait", wait_for_ever},
    {"poll", poll_for_ever},
    {"die", die},
    {"compute", compute_for_ever},
    {"full", fill_bank},
    {"kernel", no_such_kernel},
    {"twice", start_twice},
    {"register", write_beyond_registers},
    {"address", read_beyond_banks},
    {"kind9", computes([](auto& c) { c.sizes[0] = 9; })},
    {"bits", computes([](auto& c) { c.sizes[5] |= 1U << 16; })},
    {"refused", computes([](auto& c) { c.sizes[2] = 0; })},
    {"unwritten", computes([](auto& c) { c.inp.resize(100); })},
    {"unset", computes([](auto&) {}, 26)},
    {"pitch0", computes([](auto& c) { c.pitches[4] = 0; })},
    {"bytes", computes([](auto& c) { c.pitches[4] *= 4; })},
    {"early", read_early},
    {"unread", never_read}};

}  // namespace

int main(int, char** arguments) try {
  Opened card(arguments[1]);
  std::puts("ready");
  std::fflush(stdout);
  kFaults.at(arguments[2])(card);
} catch (const std::exception& error) {
  std::fprintf(stderr, "faults: %s\n", error.what());
  return 1;
}
