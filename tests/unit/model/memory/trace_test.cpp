#include "model/memory/trace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "model/core/error.h"
#include "tests/support/files.h"
#include "tests/support/texts.h"

namespace weft::memory {
namespace {

std::string message_of(const std::string& text) {
  const test::TemporaryDirectory directory;
  const std::string path = directory.write("a.trc", text).string();
  const std::string message = test::message_of<InputError>([&] { read_trace(path, Ddr4Config()); });
  EXPECT_EQ(message.substr(0, path.size()), path);
  return message.substr(std::min(message.size(), path.size()));
}

TEST(ReadTrace, ReadsOperationsAndAddresses) {
  const test::TemporaryDirectory directory;
  const std::string path = directory.write("a.trc", "R 0x0\nW 0x3FFFFFFC0\nR 0X40\r\n").string();
  const Trace trace = read_trace(path, Ddr4Config());
  ASSERT_EQ(trace.size(), 3U);
  EXPECT_FALSE(trace[0].write);
  EXPECT_TRUE(trace[1].write);
  EXPECT_EQ(trace[1].address, 0x3ffffffc0);
  EXPECT_EQ(trace[2].address, 0x40);
}

TEST(ReadTrace, ErrorsNameFileLineAndWhatIsWrong) {
  EXPECT_EQ(message_of("R 0x0\nX 0x40\n"), ":2: the operation is 'X'; a line is 'R 0xADDRESS' or 'W 0xADDRESS'.");
  EXPECT_EQ(message_of("\n"), ":1: the operation is ''; a line is 'R 0xADDRESS' or 'W 0xADDRESS'.");
  EXPECT_EQ(message_of("R\n"), ":1: the address is '', not a hexadecimal number like 0x1f40.");
  for (const std::string address : {"0xzz", "0x40 7", "64", "0x-40", "0xffffffffffffffffff"}) {
    EXPECT_EQ(message_of("R " + address + "\n"),
              ":1: the address is '" + address + "', not a hexadecimal number like 0x1f40.");
  }
  EXPECT_EQ(message_of("R 0x0\nR 0x20\n"), ":2: the address 0x20 is not a multiple of 64 bytes.");
  EXPECT_EQ(message_of("R 0x400000000\n"), ":1: the address 0x400000000 must be below 0x400000000, the channel's end.");
  EXPECT_EQ(message_of(""), ": the trace has no requests; give lines such as 'R 0x1f40'.");
}

TEST(ReadTrace, NamesAFileThatCannotBeOpened) {
  EXPECT_EQ(test::message_of<InputError>([&] { read_trace("/nowhere/at.trc", Ddr4Config()); }),
            "/nowhere/at.trc: the trace cannot be opened for reading.");
}

TEST(RunTrace, OneReadOfAClosedBankTakes39Nck) {
  const TraceResult result = run_trace({{0, false}}, Ddr4Config());
  EXPECT_EQ(std::tuple(result.requests, result.reads, result.dram_cycles), std::tuple(1, 1, 39));
  EXPECT_EQ(result.read_latency_mean, 39);
  EXPECT_EQ(std::tuple(result.read_latency_p50, result.read_latency_p99, result.row_hit_rate), std::tuple(39, 39, 0));
}

TEST(RunTrace, ReportsGigabytesPerSecondAtExactlyHalfTheDataRate) {
  // 64 bytes in 39 cycles of 1200 MHz.
  EXPECT_DOUBLE_EQ(run_trace({{0, false}}, Ddr4Config()).gbps, 64 * 1.2 / 39);
}

TEST(RunTrace, PercentilesAreByNearestRank) {
  // Two reads of one row: accepted at 0 and 1; RD at 18 and, tCCD_L later, at 24: latencies 39 and 44.
  const TraceResult result = run_trace({{0, false}, {1 << 11, false}}, Ddr4Config());
  EXPECT_EQ(result.read_latency_p50, 39);
  EXPECT_EQ(result.read_latency_p95, 44);
  EXPECT_DOUBLE_EQ(result.read_latency_mean, 41.5);
  EXPECT_DOUBLE_EQ(result.row_hit_rate, 0.5);
}

TEST(RunTrace, WritesAloneHaveNoReadLatency) {
  const TraceResult result = run_trace({{0, true}, {64, true}}, Ddr4Config());
  EXPECT_EQ(std::tuple(result.writes, result.reads, result.read_latency_mean), std::tuple(2, 0, 0));
  EXPECT_EQ(result.dram_cycles, 1 + 17 + 4 + 12 + 4);  // queue, tRCD, the second bank's ACT tRRD_S later, CWL, BL/2
}

TEST(RunTrace, SequentialReadsUseNearlyTheWholeBus) {
  // 19.2 GB/s less the refreshes: one tRFC + tRP in each tREFI.
  const TraceResult result = run_trace(sequential_reads(100000), Ddr4Config());
  EXPECT_GT(result.gbps, 19.2 * (1 - 480.0 / 9360));
  EXPECT_LT(result.gbps, 19.2 * (1 - 420.0 / 9360));
}

TEST(RunTrace, GeneratedSequencesAreWhatTheirNamesSay) {
  const Trace sequential = sequential_reads(3);
  EXPECT_EQ(sequential[2].address, 128);
  EXPECT_FALSE(sequential[2].write);
  const Trace random = random_accesses(1000, 0.5, 1);
  int writes = 0;
  for (const TraceRequest& request : random) {
    EXPECT_EQ(request.address % 64, 0);
    EXPECT_LT(request.address, Ddr4Config().capacity);
    writes += request.write ? 1 : 0;
  }
  EXPECT_NEAR(writes, 500, 60);
  EXPECT_EQ(random_accesses(1000, 0.5, 1)[999].address, random[999].address);
}

}  // namespace
}  // namespace weft::memory
