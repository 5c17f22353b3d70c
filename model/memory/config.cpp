#include "model/memory/config.h"

#include <fmt/core.h>

#include "model/core/error.h"
#include "model/memory/ddr4_memory.h"
#include "model/memory/ideal.h"

namespace weft::memory {

namespace {

void require(bool ok, const char* field, std::int64_t value, const std::string& allowed) {
  if (!ok) throw Error(fmt::format("{} is {}; allowed: {}.", field, value, allowed));
}

void require_range(const char* field, std::int64_t value, std::int64_t low, std::int64_t high) {
  require(low <= value && value <= high, field, value, fmt::format("{} to {}", low, high));
}

}  // namespace

void Ddr4Config::validate() const {
  require(data_rate_mtps > 0 && data_rate_mtps <= 10000, "ddr4.data_rate_mtps", floor(data_rate_mtps),
          "a positive number up to 10000");
  require_range("ddr4.stage1", stage1, 1, kMaxStage);
  require_range("ddr4.stage2", stage2, 1, kMaxStage);
  require_range("ddr4.read_queue", read_queue, 1, kMaxQueue);
  require_range("ddr4.write_queue", write_queue, 1, kMaxQueue);
  require_range("ddr4.bank_queue", bank_queue, 1, kMaxBankQueue);
  require_range("ddr4.write_high", write_high, 1, write_queue);
  require_range("ddr4.write_low", write_low, 0, write_high - 1);
  require_range("ddr4.row_hit_limit", row_hit_limit, 1, 1 << 30);
  require(capacity > 0 && capacity % kAccessBytes == 0 && capacity <= Bytes{1} << 40, "ddr4.capacity", capacity,
          "a multiple of 64 bytes up to 1 TiB");

  const struct {
    const char* field;
    int value;
  } timings[] = {
      {"ddr4.timing.cl_nck", timing.cl_nck},       {"ddr4.timing.cwl_nck", timing.cwl_nck},
      {"ddr4.timing.rcd_nck", timing.rcd_nck},     {"ddr4.timing.rp_nck", timing.rp_nck},
      {"ddr4.timing.ras_nck", timing.ras_nck},     {"ddr4.timing.rc_nck", timing.rc_nck},
      {"ddr4.timing.rrd_s_nck", timing.rrd_s_nck}, {"ddr4.timing.rrd_l_nck", timing.rrd_l_nck},
      {"ddr4.timing.faw_nck", timing.faw_nck},     {"ddr4.timing.ccd_s_nck", timing.ccd_s_nck},
      {"ddr4.timing.ccd_l_nck", timing.ccd_l_nck}, {"ddr4.timing.rtp_nck", timing.rtp_nck},
      {"ddr4.timing.wr_nck", timing.wr_nck},       {"ddr4.timing.wtr_s_nck", timing.wtr_s_nck},
      {"ddr4.timing.wtr_l_nck", timing.wtr_l_nck}, {"ddr4.timing.rfc_nck", timing.rfc_nck},
  };
  for (const auto& [field, value] : timings) require_range(field, value, 1, Ddr4Timing::kMostNck);
  require(timing.burst_length == 8, "ddr4.timing.burst_length", timing.burst_length, "8");
  require(timing.ccd_s_nck >= timing.burst_nck(), "ddr4.timing.ccd_s_nck", timing.ccd_s_nck,
          "at least burst_length / 2, or bursts would overlap on the data bus");
  require(timing.ccd_l_nck >= timing.ccd_s_nck, "ddr4.timing.ccd_l_nck", timing.ccd_l_nck, "at least ccd_s_nck");
  require_range("ddr4.timing.turnaround_nck", timing.turnaround_nck, 0, 1000);
  require(timing.cl_nck + timing.burst_nck() + timing.turnaround_nck > timing.cwl_nck, "ddr4.timing.cwl_nck",
          timing.cwl_nck, "less than cl_nck + burst_length / 2 + turnaround_nck");
  // The table expresses "the internal precharge of RDA waits for tRAS" by tRC.
  require(timing.rc_nck >= timing.ras_nck + timing.rp_nck, "ddr4.timing.rc_nck", timing.rc_nck,
          "at least ras_nck + rp_nck");
  require(timing.refi_nck > 2 * timing.rfc_nck, "ddr4.timing.refi_nck", timing.refi_nck, "more than 2 * rfc_nck");
}

void MemoryConfig::validate() const {
  require(kernel_clock > 0, "kernel_clock", floor(kernel_clock), "a positive number");
  const auto require_width = [](Bytes bytes) {
    require(bytes > 0 && bytes <= kWidestBeat && (bytes & (bytes - 1)) == 0, "beat_bytes", bytes,
            "a power of two up to 128 (1024 bits, the widest AXI4 bus)");
  };
  require_width(beat_bytes);
  for (const int bytes : port_beat_bytes) require_width(bytes);
  require_range("channels", channels, 1, 64);
  require_range("number of ports", static_cast<std::int64_t>(port_channel.size()), 1, 255);
  for (const int channel : port_channel) require_range("port_channel", channel, 0, channels - 1);
  require_range("dma_ports", dma_ports, 0, static_cast<std::int64_t>(port_channel.size()));
  require_range("latency_cycles", latency_cycles, 0, 1000000);
  require_range("write_response_cycles", write_response_cycles, 0, 1000000);
  require_range("ideal_latency_cycles", ideal_latency_cycles, 0, 1000000);
  if (kind == MemoryKind::ideal) return;
  ddr4.validate();
  require(ClockRatio(kernel_clock, ddr4.data_rate_mtps).countable(), "kernel_clock", floor(kernel_clock),
          "a clock whose ratio to the DRAM's has no more than 8 digits on either side");
}

std::unique_ptr<Memory> make_memory(const MemoryConfig& config) {
  config.validate();
  if (config.kind == MemoryKind::ideal) return std::make_unique<IdealMemory>(config);
  return std::make_unique<Ddr4Memory>(config);
}

bool operator==(const Ddr4Config& a, const Ddr4Config& b) {
  return Ddr4Config::all(a) == Ddr4Config::all(b);
}

bool operator==(const MemoryConfig& a, const MemoryConfig& b) {
  return MemoryConfig::all(a) == MemoryConfig::all(b);
}

}  // namespace weft::memory
