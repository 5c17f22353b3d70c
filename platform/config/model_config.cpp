#include "platform/config/model_config.h"

#include "platform/config/reader.h"

namespace weft::config {

namespace {

// Returns `ns` nanoseconds in kernel cycles, rounded up.
Cycles cycles_of(const Rational& ns, const Frequency& clock) {
  // ceil(x / 1000) is ceil(ceil(x) / 1000): the products stay below 2^62.
  return ceil_div(ceil(ns * clock), 1000);
}

}  // namespace

memory::Ddr4Config ddr4_config(const Ddr4Memory& given) {
  const Ddr4Timing& t = given.timing;
  memory::Ddr4Config config;
  config.data_rate_mtps = given.data_rate_mtps;
  config.timing.cl_nck = t.cl;
  config.timing.cwl_nck = t.cwl;
  config.timing.burst_length = given.organisation.burst_length;
  config.timing.rcd_nck = t.trcd;
  config.timing.rp_nck = t.trp;
  config.timing.ras_nck = t.tras;
  config.timing.rc_nck = t.trc;
  config.timing.rrd_s_nck = t.trrd_s;
  config.timing.rrd_l_nck = t.trrd_l;
  config.timing.faw_nck = t.tfaw;
  config.timing.ccd_s_nck = t.tccd_s;
  config.timing.ccd_l_nck = t.tccd_l;
  config.timing.rtp_nck = t.trtp;
  config.timing.wr_nck = t.twr;
  config.timing.wtr_s_nck = t.twtr_s;
  config.timing.wtr_l_nck = t.twtr_l;
  config.timing.turnaround_nck = t.read_to_write - (t.cl + given.organisation.burst_length / 2 - t.cwl);
  config.timing.refi_nck = t.trefi;
  config.timing.rfc_nck = t.trfc;
  config.capacity = given.bytes_per_channel;
  config.map = given.address_map == AddressMap::Rcb ? memory::AddressMap::rcb : memory::AddressMap::intlv;
  config.auto_precharge_a3 = given.auto_precharge_a3;
  config.controller =
      given.controller == Controller::Mig ? memory::ControllerKind::mig : memory::ControllerKind::frfcfs;
  config.stage1 = given.group_machine.stage1;
  config.stage2 = given.group_machine.stage2;
  config.read_queue = given.queues.read;
  config.write_queue = given.queues.write;
  config.bank_queue = given.queues.per_bank;
  config.write_high = given.write_drain.high;
  config.write_low = given.write_drain.low;
  config.row_hit_limit = given.row_hit_limit;
  return config;
}

memory::MemoryConfig memory_config(const RunConfig& run) {
  memory::MemoryConfig config;
  config.kernel_clock = run.kernel->clock;
  config.beat_bytes = run.kernel->beat_bytes();
  if (!run.kernel->one_width()) {
    for (const KernelPort& port : run.kernel->ports()) {
      config.port_beat_bytes.push_back(static_cast<int>(port.beat_bytes));
    }
  }
  if (const auto* ddr4 = std::get_if<Ddr4Memory>(&run.board.memory)) {
    config.kind = memory::MemoryKind::ddr4;
    config.channels = ddr4->channels;
    config.port_channel = port_channels(run);
    config.latency_cycles = cycles_of(ddr4->controller_latency_ns, run.kernel->clock) + ddr4->shell_latency_cycles;
    config.write_response_cycles = ddr4->write_response_cycles;
    config.ddr4 = ddr4_config(*ddr4);
  } else {
    config.kind = memory::MemoryKind::ideal;
    // A channel for each port.
    config.channels = static_cast<int>(run.kernel->ports().size());
    config.port_channel = port_channels(run);
    config.ideal_latency_cycles = std::get<IdealMemory>(run.board.memory).latency_cycles;
  }
  return config;
}

Budget budget(const Board& board) {
  Budget budget;
  if (board.dsp) budget.dsp = board.dsp->usable;
  // An M20K holds 512 words of up to 40 bits and counts as a BRAM18 in the equations; a BRAM36 counts as two.
  if (board.block_ram) budget.bram18 = board.block_ram->usable * (board.block_ram_kind == BlockRam::M20k ? 1 : 2);
  if (board.uram) budget.uram = board.uram->usable;
  if (board.lut) budget.lut = board.lut->usable;
  if (board.ff) budget.ff = board.ff->usable;
  return budget;
}

}  // namespace weft::config
