#include "platform/run/memory_of.h"

#include <algorithm>

#include "model/core/error.h"

namespace weft::run {

memory::Ddr4Config ddr4_of(const config::Ddr4Memory& board) {
  memory::Ddr4Config ddr4;
  if (board.data_rate_mtps.num % board.data_rate_mtps.den != 0) {
    throw Error("memory.data_rate_mtps: the DDR4 model takes whole mega-transfers per second");
  }
  ddr4.data_rate_mtps = static_cast<int>(board.data_rate_mtps.num / board.data_rate_mtps.den);
  const config::Ddr4Timing& from = board.timing;
  memory::Ddr4Timing& to = ddr4.timing;
  to.cl_nck = from.cl;
  to.cwl_nck = from.cwl;
  to.rcd_nck = from.trcd;
  to.rp_nck = from.trp;
  to.ras_nck = from.tras;
  to.rc_nck = from.trc;
  to.rrd_s_nck = from.trrd_s;
  to.rrd_l_nck = from.trrd_l;
  to.faw_nck = from.tfaw;
  to.ccd_s_nck = from.tccd_s;
  to.ccd_l_nck = from.tccd_l;
  to.rtp_nck = from.trtp;
  to.wr_nck = from.twr;
  to.wtr_s_nck = from.twtr_s;
  to.wtr_l_nck = from.twtr_l;
  to.refi_nck = from.trefi;
  to.rfc_nck = from.trfc;
  // tRTW = CL + BL/2 - CWL + turnaround
  if (from.read_to_write > 0) to.turnaround_nck = from.read_to_write - (from.cl + to.burst_length / 2 - from.cwl);
  ddr4.capacity = board.bytes_per_channel;
  ddr4.map = board.address_map == config::AddressMap::Rcb ? memory::AddressMap::rcb : memory::AddressMap::intlv;
  ddr4.auto_precharge_a3 = board.auto_precharge_a3;
  ddr4.read_queue = board.queues.read;
  ddr4.write_queue = board.queues.write;
  ddr4.write_high = board.write_drain.high;
  ddr4.write_low = board.write_drain.low;
  return ddr4;
}

std::array<int, fpgpt::kPorts> channels_of(const config::Board& board) {
  return {board.ports.inp, board.ports.kern, board.ports.out};
}

memory::MemoryConfig memory_of(const config::Board& board, const Frequency& kernel_clock, Bytes beat_bytes) {
  memory::MemoryConfig memory;
  memory.kernel_clock = kernel_clock;
  memory.beat_bytes = beat_bytes;
  const auto channels = channels_of(board);
  memory.port_channel.assign(channels.begin(), channels.end());
  memory.channels = std::max(config::channels(board.memory), *std::max_element(channels.begin(), channels.end()) + 1);
  if (const auto* ideal = std::get_if<config::IdealMemory>(&board.memory)) {
    memory.kind = memory::MemoryKind::ideal;
    memory.ideal_latency_cycles = ideal->latency_cycles;
  } else if (const auto* ddr4 = std::get_if<config::Ddr4Memory>(&board.memory)) {
    memory.kind = memory::MemoryKind::ddr4;
    memory.ddr4 = ddr4_of(*ddr4);
    // ceil(latency in ns * kernel clock in MHz / 1000), exactly.
    const Frequency& ns = ddr4->controller_latency_ns;
    memory.latency_cycles =
        ceil_div(ns.num * kernel_clock.num, ns.den * kernel_clock.den * 1000) + ddr4->shell_latency_cycles;
  } else {
    throw Error("a memory of kind " + std::string(config::kind_name(board.memory)) + " cannot be simulated");
  }
  memory.validate();
  return memory;
}

}  // namespace weft::run
