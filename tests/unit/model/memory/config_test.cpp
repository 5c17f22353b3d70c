#include "model/memory/config.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "tests/support/texts.h"

namespace weft::memory {
namespace {

// The message of the error `change` to a valid configuration causes.
std::string message_of(const std::function<void(MemoryConfig&)>& change) {
  MemoryConfig config;
  change(config);
  return test::message_of([&] { make_memory(config); });
}

TEST(MemoryConfig, DefaultsAreValid) {
  EXPECT_EQ(message_of([](MemoryConfig&) {}), "nothing");
  EXPECT_EQ(message_of([](MemoryConfig& c) { c.kind = MemoryKind::ideal; }), "nothing");
}

TEST(MemoryConfig, ErrorsNameFieldValueAndWhatIsAllowed) {
  EXPECT_EQ(message_of([](MemoryConfig& c) { c.beat_bytes = 256; }),
            "beat_bytes is 256; allowed: a power of two up to 128 (1024 bits, the widest AXI4 bus).");
  EXPECT_EQ(message_of([](MemoryConfig& c) { c.beat_bytes = 48; }),
            "beat_bytes is 48; allowed: a power of two up to 128 (1024 bits, the widest AXI4 bus).");
  EXPECT_EQ(message_of([](MemoryConfig& c) { c.port_channel = {0, 2}; }), "port_channel is 2; allowed: 0 to 0.");
  EXPECT_EQ(message_of([](MemoryConfig& c) { c.port_channel.clear(); }), "number of ports is 0; allowed: 1 to 255.");
  EXPECT_EQ(message_of([](MemoryConfig& c) { c.channels = 0; }), "channels is 0; allowed: 1 to 64.");
  EXPECT_EQ(message_of([](MemoryConfig& c) {
              c.kernel_clock = {0, 1};
            }),
            "kernel_clock is 0; allowed: a positive number.");
  EXPECT_EQ(message_of([](MemoryConfig& c) { c.latency_cycles = -1; }), "latency_cycles is -1; allowed: 0 to 1000000.");
  EXPECT_EQ(message_of([](MemoryConfig& c) { c.ddr4.read_queue = 65; }), "ddr4.read_queue is 65; allowed: 1 to 64.");
  EXPECT_EQ(message_of([](MemoryConfig& c) { c.ddr4.bank_queue = 0; }), "ddr4.bank_queue is 0; allowed: 1 to 16.");
  EXPECT_EQ(message_of([](MemoryConfig& c) { c.ddr4.write_high = 33; }), "ddr4.write_high is 33; allowed: 1 to 32.");
  EXPECT_EQ(message_of([](MemoryConfig& c) { c.ddr4.write_low = 32; }), "ddr4.write_low is 32; allowed: 0 to 31.");
  EXPECT_EQ(message_of([](MemoryConfig& c) { c.ddr4.capacity = 100; }),
            "ddr4.capacity is 100; allowed: a multiple of 64 bytes up to 1 TiB.");
  EXPECT_EQ(message_of([](MemoryConfig& c) { c.ddr4.timing.rc_nck = 55; }),
            "ddr4.timing.rc_nck is 55; allowed: at least ras_nck + rp_nck.");
  EXPECT_EQ(message_of([](MemoryConfig& c) { c.ddr4.timing.rfc_nck = 3001; }),
            "ddr4.timing.rfc_nck is 3001; allowed: 1 to 3000.");
  EXPECT_EQ(message_of([](MemoryConfig& c) { c.ddr4.timing.refi_nck = 420; }),
            "ddr4.timing.refi_nck is 420; allowed: more than 2 * rfc_nck.");
  EXPECT_EQ(message_of([](MemoryConfig& c) { c.ddr4.timing.burst_length = 4; }),
            "ddr4.timing.burst_length is 4; allowed: 8.");
}

TEST(MemoryConfig, AnIdealMemoryIgnoresTheDdr4Fields) {
  EXPECT_EQ(message_of([](MemoryConfig& c) {
              c.kind = MemoryKind::ideal;
              c.ddr4.read_queue = 0;
            }),
            "nothing");
}

}  // namespace
}  // namespace weft::memory
