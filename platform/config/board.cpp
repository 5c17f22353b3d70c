#include "platform/config/board.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "model/memory/speed_bin.h"

namespace weft::config {

namespace {

constexpr std::int64_t kMaxCount = 1 << 24;   // more than any device has of any resource
constexpr std::int64_t kMaxClocks = 1 << 20;  // a DDR4 timing in clocks; tREFI is the longest with about 10^4
constexpr std::int64_t kMaxQueue = 64;        // limit of the DDR4 controller model
constexpr std::int64_t kMaxBankQueue = 16;
constexpr std::int64_t kMaxStage = 16;
constexpr std::int64_t kMaxLatency = 1'000'000;
constexpr Bytes kMaxBytes = Bytes{1} << 44;
constexpr int kNotGiven = -1;  // a value that has not been read yet

enum class MemoryKind : std::uint8_t { Ddr4, Ideal, Ddr3, Hbm };

const Names<MemoryKind>& memory_kinds() {
  static const Names<MemoryKind> names{
      {"ddr4", MemoryKind::Ddr4}, {"ideal", MemoryKind::Ideal}, {"ddr3", MemoryKind::Ddr3}, {"hbm", MemoryKind::Hbm}};
  return names;
}

const Names<AddressMap>& address_maps() {
  static const Names<AddressMap> names{{"RCB", AddressMap::Rcb}, {"INTLV", AddressMap::Intlv}};
  return names;
}

const Names<Controller>& controllers() {
  static const Names<Controller> names{{"frfcfs", Controller::Frfcfs}, {"mig", Controller::Mig}};
  return names;
}

MemoryKind kind_of(const Memory& memory) {
  if (std::holds_alternative<Ddr4Memory>(memory)) return MemoryKind::Ddr4;
  if (std::holds_alternative<IdealMemory>(memory)) return MemoryKind::Ideal;
  return std::get<UnmodelledMemory>(memory).kind == UnmodelledMemory::Kind::Ddr3 ? MemoryKind::Ddr3 : MemoryKind::Hbm;
}

void fields(MapIo& io, ResourceCount& count) {
  io.integer("total", count.total, 0, kMaxCount, Need::Required);
  if (!io.writes()) count.usable = io.describes() ? kNotGiven : count.total;
  io.integer("usable", count.usable, 0, kMaxCount);
  if (const MapReader* const reader = io.reader()) {
    if (count.usable > count.total) {
      throw reader->clash("usable", {"total"},
                          fmt::format("must not exceed the total of {}, but is {}", count.total, count.usable));
    }
  }
}

// A redundant key: the sum of others and of half a burst. If a file states it and the others are known, it must match.
void derived(MapIo& io, const char* key, const char* formula, const std::vector<int>& terms, int burst_nck) {
  io.custom(
      key, Need::Optional,
      [&](const Node& node, const std::string& path) {
        const std::int64_t given = read_integer(node, path, 0, kMaxClocks);
        const int expected = std::accumulate(terms.begin(), terms.end(), burst_nck);
        if (given == expected || std::find(terms.begin(), terms.end(), kNotGiven) != terms.end()) return;
        throw error_at(node.place, path, fmt::format("must be {} = {}, but is {}", formula, expected, node.text));
      },
      nullptr, [] { return schema::integer(0, kMaxClocks); });
}

// Returns the default timings of JESD79-4 for the rate and the devices; kNotGiven if it has none. complete() derives
// tRC and read_to_write from the others.
Ddr4Timing timing_of_bin(const Frequency& rate, const Ddr4Organisation& organisation) {
  Ddr4Timing t;
  for (const Ddr4TimingKey& each : ddr4_timing_keys()) t.*each.clocks = kNotGiven;
  t.al = 0;
  const memory::SpeedBin* const bin = memory::find_speed_bin(rate);
  if (!bin) return t;
  const memory::Ddr4Timing model = memory::timing_of(*bin, organisation.device_bits);
  t.cl = model.cl_nck;
  t.cwl = model.cwl_nck;
  t.trcd = model.rcd_nck;
  t.trp = model.rp_nck;
  t.tras = model.ras_nck;
  t.trrd_s = model.rrd_s_nck;
  t.trrd_l = model.rrd_l_nck;
  t.tfaw = model.faw_nck;
  t.tccd_s = model.ccd_s_nck;
  t.tccd_l = model.ccd_l_nck;
  t.twr = model.wr_nck;
  t.twtr_s = model.wtr_s_nck;
  t.twtr_l = model.wtr_l_nck;
  t.trtp = model.rtp_nck;
  t.trefi = model.refi_nck;
  t.trfc = memory::rfc_nck(*bin, organisation.bits_of_device()).value_or(kNotGiven);
  return t;
}

void complete(Ddr4Timing& t, int burst_length) {
  if (t.trc == kNotGiven && t.tras != kNotGiven && t.trp != kNotGiven) t.trc = t.tras + t.trp;
  if (t.read_to_write == kNotGiven && t.cl != kNotGiven && t.cwl != kNotGiven) {
    t.read_to_write = t.cl + burst_length / 2 - t.cwl + memory::Ddr4Timing().turnaround_nck;
  }
}

std::vector<std::string> missing_timings(const Ddr4Timing& t) {
  std::vector<std::string> missing;
  for (const Ddr4TimingKey& each : ddr4_timing_keys()) {
    if (t.*each.clocks == kNotGiven) missing.emplace_back(each.key);
  }
  return missing;
}

void require_timings(const MapReader& io, const Ddr4Memory& m) {
  const std::string missing = join(missing_timings(m.timing));
  if (missing.empty()) return;
  if (memory::find_speed_bin(m.data_rate_mtps)) {
    throw io.error("organisation",
                   fmt::format("devices of {} Mb (banks, rows, columns, device_bits) have no refresh time in JESD79-4, "
                               "which lists 2, 4, 8 and 16 Gb; timing_nCK must give {}",
                               m.organisation.bits_of_device() >> 20, missing));
  }
  std::vector<std::string> rates;
  for (const memory::SpeedBin& bin : memory::speed_bins()) rates.push_back(std::to_string(bin.nominal_mtps));
  throw io.error("data_rate_mtps",
                 fmt::format("{} is no speed bin of JESD79-4 ({}); for any other rate timing_nCK must give {}",
                             exact_text(m.data_rate_mtps), join(rates), missing));
}

void fields(MapIo& io, Ddr4Timing& t, int burst_length) {
  for (const Ddr4TimingKey& each : ddr4_timing_keys()) io.integer(each.key, t.*each.clocks, each.least, kMaxClocks);
  if (io.reader()) complete(t, burst_length);
  const int burst = burst_length / 2;
  derived(io, "write_to_read_same_bg", "CWL + BL/2 + tWTR_L", {t.cwl, t.twtr_l}, burst);
  derived(io, "write_to_read_diff_bg", "CWL + BL/2 + tWTR_S", {t.cwl, t.twtr_s}, burst);
  derived(io, "write_to_precharge", "CWL + BL/2 + tWR", {t.cwl, t.twr}, burst);
  derived(io, "read_data_latency", "CL + BL/2", {t.cl}, burst);
}

void check(const MapReader& io, const Ddr4Timing& t, int burst_length) {
  const int data = t.cl + burst_length / 2 - t.cwl;
  if (t.read_to_write < data) {
    throw io.clash(
        "read_to_write", {"CL", "CWL"},
        fmt::format("must be at least CL + BL/2 - CWL = {} (else data collide), but is {}", data, t.read_to_write));
  }
  if (t.trefi <= 2 * t.trfc) {
    throw io.clash(
        "tREFI", {"tRFC"},
        fmt::format("must exceed 2 tRFC = {} (else the DRAM mostly refreshes), but is {}", 2 * t.trfc, t.trefi));
  }
  if (t.trc < t.tras + t.trp) {
    throw io.clash("tRC", {"tRAS", "tRP"},
                   fmt::format("must be at least tRAS + tRP = {}, but is {}", t.tras + t.trp, t.trc));
  }
  if (t.tccd_s < burst_length / 2) {
    throw io.error("tCCD_S", fmt::format("must be at least BL/2 = {} (else bursts overlap), but is {}",
                                         burst_length / 2, t.tccd_s));
  }
  if (t.trrd_l < t.trrd_s) {
    throw io.clash("tRRD_L", {"tRRD_S"}, fmt::format("must be at least tRRD_S = {}, but is {}", t.trrd_s, t.trrd_l));
  }
  if (t.tccd_l < t.tccd_s) {
    throw io.clash("tCCD_L", {"tCCD_S"}, fmt::format("must be at least tCCD_S = {}, but is {}", t.tccd_s, t.tccd_l));
  }
  if (t.twtr_l < t.twtr_s) {
    throw io.clash("tWTR_L", {"tWTR_S"}, fmt::format("must be at least tWTR_S = {}, but is {}", t.twtr_s, t.twtr_l));
  }
}

// The DDR4 address maps divide the address into bit fields, so every count is a power of two.
void power_of_two(MapIo& io, const char* key, int& value, std::int64_t low, std::int64_t high) {
  io.integer(key, value, low, high);
  if (const MapReader* const reader = io.reader()) {
    if ((value & (value - 1)) != 0) throw reader->error(key, fmt::format("must be a power of two, but is {}", value));
  }
}

void fields(MapIo& io, Ddr4Organisation& o) {
  power_of_two(io, "ranks", o.ranks, 1, 8);
  power_of_two(io, "bank_groups", o.bank_groups, 1, 8);
  power_of_two(io, "banks_per_group", o.banks_per_group, 1, 16);
  power_of_two(io, "rows", o.rows, 1, 1 << 20);
  power_of_two(io, "columns", o.columns, 8, 1 << 14);
  power_of_two(io, "data_bits", o.data_bits, 8, 128);
  power_of_two(io, "device_bits", o.device_bits, 4, 16);
  power_of_two(io, "burst_length", o.burst_length, 4, 16);
}

void fields(MapIo& io, Ddr4Memory& m) {
  io.integer("channels", m.channels, 1, kMaxChannels, Need::Required);
  io.exact("data_rate_mtps", m.data_rate_mtps, 100, 10000, Need::Required);
  io.integer("bytes_per_channel", m.bytes_per_channel, 1, kMaxBytes, Need::Required);
  io.map("organisation", Need::Optional, [&](MapIo& sub) { fields(sub, m.organisation); });
  if (io.reader()) {
    m.data_rate_mtps = memory::exact_rate(m.data_rate_mtps);
    m.timing = timing_of_bin(m.data_rate_mtps, m.organisation);
    complete(m.timing, m.organisation.burst_length);
  }
  io.map("timing_nCK", Need::Optional, [&](MapIo& sub) {
    if (sub.reader()) m.timing.trc = m.timing.read_to_write = kNotGiven;  // derived again from the map
    fields(sub, m.timing, m.organisation.burst_length);
    if (const MapReader* const reader = sub.reader()) {
      reader->finish();
      if (missing_timings(m.timing).empty()) check(*reader, m.timing, m.organisation.burst_length);
    }
  });
  if (const MapReader* const reader = io.reader()) require_timings(*reader, m);
  io.choice("address_map", m.address_map, address_maps(), Need::Required);
  io.boolean("auto_precharge_a3", m.auto_precharge_a3);
  if (!io.writes() || m.controller == Controller::Mig) {
    io.choice("controller", m.controller, controllers());
    io.map("group_machine", Need::Optional, [&](MapIo& sub) {
      sub.integer("stage1", m.group_machine.stage1, 1, kMaxStage);
      sub.integer("stage2", m.group_machine.stage2, 1, kMaxStage);
    });
  }
  if (!io.writes() || m.controller == Controller::Frfcfs) {
    io.map("queues", Need::Optional, [&](MapIo& sub) {
      sub.integer("read", m.queues.read, 1, kMaxQueue);
      sub.integer("write", m.queues.write, 1, kMaxQueue);
      sub.integer("per_bank", m.queues.per_bank, 1, kMaxBankQueue);
    });
    io.map("write_drain", Need::Optional, [&](MapIo& sub) {
      sub.integer("high", m.write_drain.high, 1, kMaxQueue);
      sub.integer("low", m.write_drain.low, 0, kMaxQueue - 1);
    });
    io.integer("row_hit_limit", m.row_hit_limit, 1, 1 << 30);
  }
  io.value("controller_latency_ns", m.controller_latency_ns, form::exact_or_zero(kMaxLatency));
  io.integer("shell_latency_cycles", m.shell_latency_cycles, 0, kMaxLatency);
  if (!io.writes() || m.write_response_cycles != 0) {
    io.integer("write_response_cycles", m.write_response_cycles, 0, kMaxLatency);
  }
  if (const MapReader* const reader = io.reader()) {
    if (m.write_drain.high > m.queues.write) {
      throw reader->clash(
          "write_drain", {"queues"},
          fmt::format("must have 'high' of at most {} (queues.write), not {}", m.queues.write, m.write_drain.high));
    }
    if (m.write_drain.low >= m.write_drain.high) {
      throw reader->error("write_drain", fmt::format("'low' must be below 'high', but they are {} and {}",
                                                     m.write_drain.low, m.write_drain.high));
    }
    if (m.bytes_per_channel % 64 != 0) {
      throw reader->error("bytes_per_channel", fmt::format("must be a multiple of 64, but is {}", m.bytes_per_channel));
    }
    if (m.bytes_per_channel > m.organisation.bytes()) {
      throw reader->clash("bytes_per_channel", {"organisation"},
                          fmt::format("must not exceed the {} bytes of the organisation, but is {}",
                                      m.organisation.bytes(), m.bytes_per_channel));
    }
  }
}

void fields(MapIo& io, IdealMemory& m) {
  io.integer("latency_cycles", m.latency_cycles, 0, kMaxLatency);
}

void fields(MapIo& io, UnmodelledMemory& m) {
  io.integer("channels", m.channels, 1, kMaxChannels, Need::Required);
  io.exact("data_rate_mtps", m.data_rate_mtps, 100, 10000, Need::Required);
  io.integer("bytes_per_channel", m.bytes_per_channel, 1, kMaxBytes, Need::Required);
}

void fields(MapIo& io, Memory& memory) {
  MemoryKind kind = kind_of(memory);
  io.choice("kind", kind, memory_kinds(), Need::Required);
  if (io.describes()) {
    IdealMemory ideal;
    Ddr4Memory ddr4;
    for (const Ddr4TimingKey& each : ddr4_timing_keys()) ddr4.timing.*each.clocks = kNotGiven;
    fields(io, ideal);
    fields(io, ddr4);
    return;
  }
  if (io.reader()) {
    if (kind == MemoryKind::Ideal) {
      memory = IdealMemory{};
    } else if (kind == MemoryKind::Ddr4) {
      memory = Ddr4Memory{};
    } else {
      UnmodelledMemory other;
      other.kind = kind == MemoryKind::Ddr3 ? UnmodelledMemory::Kind::Ddr3 : UnmodelledMemory::Kind::Hbm;
      memory = other;
    }
  }
  std::visit([&](auto& of_kind) { fields(io, of_kind); }, memory);
}

void fields(MapIo& io, link::DmaConfig& dma) {
  io.integer("tags", dma.tags, 1, 1024, Need::Required);
  io.integer("buffer_bytes", dma.buffer_bytes, 128, 1 << 30, Need::Required);
  io.integer("descriptor_bytes", dma.descriptor_bytes, 4, 4096);
  io.integer("descriptors_per_fetch", dma.descriptors_per_fetch, 1, 1024);
  io.integer("descriptor_max_bytes", dma.descriptor_max_bytes, 4096, kMaxBytes);
  io.integer("host_page_bytes", dma.host_page_bytes, 4096, kMaxBytes);
}

void fields(MapIo& io, link::PcieConfig& p) {
  constexpr int kMostTlp = 4096, kMostCredits = 1 << 20;
  io.integer("generation", p.generation, 1, 5, Need::Required);
  io.integer("lanes", p.lanes, 1, 32, Need::Required);
  io.integer("max_payload_bytes", p.max_payload_bytes, 128, kMostTlp);
  io.integer("max_read_request_bytes", p.max_read_request_bytes, 128, kMostTlp);
  io.integer("read_completion_boundary_bytes", p.read_completion_boundary_bytes, 64, kMostTlp);
  io.integer("write_overhead_bytes", p.write_overhead_bytes, 0, 256);
  io.integer("read_overhead_bytes", p.read_overhead_bytes, 1, 256);
  io.integer("completion_overhead_bytes", p.completion_overhead_bytes, 0, 256);
  io.integer("dllp_bytes", p.dllp_bytes, 0, 64);
  if (io.reader()) p.dllp_interval_bytes = link::dllp_interval_bytes(p.generation, p.lanes, p.max_payload_bytes);
  if (io.describes()) p.dllp_interval_bytes = kNotGiven;
  io.integer("dllp_interval_bytes", p.dllp_interval_bytes, 1, 1 << 16);
  io.integer("skp_symbols", p.skp_symbols, 0, 8191);
  io.integer("skp_interval_symbols", p.skp_interval_symbols, 1, 8192);
  io.map("posted_credits", Need::Optional, [&](MapIo& sub) {
    sub.integer("headers", p.posted.headers, 0, kMostCredits);
    sub.integer("data", p.posted.data, 0, kMostCredits);
  });
  io.integer("nonposted_credits", p.nonposted_headers, 0, kMostCredits);
  scaled(io, "credit_return_ns", p.credit_return_ps, kNanoseconds, Need::Optional);
  scaled(io, "read_round_trip_ns", p.read_round_trip_ps, kNanoseconds);
  scaled(io, "host_write_latency_ns", p.host_write_latency_ps, kNanoseconds);
  scaled(io, "card_write_latency_ns", p.card_write_latency_ps, kNanoseconds);
  scaled(io, "card_read_latency_ns", p.card_read_latency_ps, kNanoseconds);
  io.map("dma", Need::Required, [&](MapIo& sub) { fields(sub, p.dma); });
  if (const MapReader* const reader = io.reader()) {
    if (const auto fault = p.find_fault()) {
      const std::string key = fault->key;
      const std::size_t dot = key.find('.');
      if (dot == std::string::npos) throw reader->error(fault->key, fault->message);
      throw reader->error(key.substr(0, dot).c_str(), fmt::format("'{}' {}", key.substr(dot + 1), fault->message));
    }
  }
}

void fields(MapIo& io, Network& n) {
  io.text("connector", n.connector, Need::Required);
  io.integer("ports", n.ports, 0, 64, Need::Required);
  io.real("gbits_per_s_per_port", n.gbits_per_s_per_port, 0.001, 10000, Need::Required);
  io.integer("overhead_bytes_per_packet", n.overhead_bytes_per_packet, 0, 4096);
  io.real("round_trip_direct_us", n.round_trip_direct_us, 0, 1e6);
  io.real("round_trip_switch_us", n.round_trip_switch_us, 0, 1e6);
}

void fields(MapIo& io, Board& b) {
  io.text("name", b.name, Need::Required);
  io.text("title", b.title);
  io.text("part", b.part);
  const auto count = [](MapIo& sub, ResourceCount& value) { fields(sub, value); };
  io.optional_map("dsp", b.dsp, count);
  std::optional<ResourceCount> bram36, m20k;
  (b.block_ram_kind == BlockRam::Bram36 ? bram36 : m20k) = b.block_ram;
  io.optional_map("bram36", bram36, count);
  io.optional_map("m20k", m20k, count);
  if (const MapReader* const reader = io.reader()) {
    if (bram36 && m20k) throw reader->error("m20k", "a device has either bram36 or m20k, not both");
    b.block_ram_kind = m20k ? BlockRam::M20k : BlockRam::Bram36;
    b.block_ram = m20k ? m20k : bram36;
  }
  io.optional_map("uram", b.uram, count);
  io.optional_map("lut", b.lut, count);
  io.optional_map("ff", b.ff, count);
  io.optional_map("mlab", b.mlab, count);
  io.integer("slrs", b.slrs, 1, 64);
  io.map("memory", Need::Required, [&](MapIo& sub) { fields(sub, b.memory); });
  if (io.reader()) {
    // A board has memory channels; the kernel assigns its ports to them.
    io.custom(
        "ports", Need::Optional,
        [](const Node& node, const std::string& path) {
          throw error_at(
              node.place, path,
              "a board has memory channels, and a kernel maps its ports to them: use kernel.ports.<port>.channel");
        },
        nullptr);
  }
  io.optional_map("pcie", b.pcie, [](MapIo& sub, link::PcieConfig& value) { fields(sub, value); });
  io.optional_map("network", b.network, [](MapIo& sub, Network& value) { fields(sub, value); });
  // In a composed run, the host's file replaces its name; the run's `host` is merged over it.
  io.custom(
      kDefaultHostKey, Need::Optional,
      [&](const Node& node, const std::string& path) {
        if (node.kind != Node::Kind::Map) {
          b.default_host = read_text(node, path);
        } else if (const Node* name = node.find("name")) {
          b.default_host = read_text(*name, path + ".name");
        }
      },
      [&] { return b.default_host.empty() ? std::nullopt : std::optional<Node>(scalar_node(b.default_host, true)); },
      schema::text);
  assumed_fields(io, b.assumed);
}

constexpr auto kBoardFields = [](auto& io, auto& object) { fields(io, object); };

}  // namespace

const std::vector<Ddr4TimingKey>& ddr4_timing_keys() {
  static const std::vector<Ddr4TimingKey> keys{{"CL", &Ddr4Timing::cl},
                                               {"CWL", &Ddr4Timing::cwl},
                                               {"AL", &Ddr4Timing::al, 0},
                                               {"tRCD", &Ddr4Timing::trcd},
                                               {"tRP", &Ddr4Timing::trp},
                                               {"tRAS", &Ddr4Timing::tras},
                                               {"tRC", &Ddr4Timing::trc},
                                               {"tRRD_S", &Ddr4Timing::trrd_s},
                                               {"tRRD_L", &Ddr4Timing::trrd_l},
                                               {"tFAW", &Ddr4Timing::tfaw},
                                               {"tCCD_S", &Ddr4Timing::tccd_s},
                                               {"tCCD_L", &Ddr4Timing::tccd_l},
                                               {"tWR", &Ddr4Timing::twr},
                                               {"tWTR_S", &Ddr4Timing::twtr_s},
                                               {"tWTR_L", &Ddr4Timing::twtr_l},
                                               {"tRTP", &Ddr4Timing::trtp},
                                               {"tREFI", &Ddr4Timing::trefi},
                                               {"tRFC", &Ddr4Timing::trfc},
                                               {"read_to_write", &Ddr4Timing::read_to_write}};
  return keys;
}

const char* kind_name(const Memory& memory) {
  const MemoryKind kind = kind_of(memory);
  const auto& names = memory_kinds();
  return std::find_if(names.begin(), names.end(), [&](const auto& name) { return name.second == kind; })->first;
}

int channels(const Memory& memory) {
  if (const auto* ddr4 = std::get_if<Ddr4Memory>(&memory)) return ddr4->channels;
  if (const auto* other = std::get_if<UnmodelledMemory>(&memory)) return other->channels;
  return 0;
}

bool states(const Board& board, const std::string& resource) {
  return resource == "DSP" ? board.dsp.has_value() : resource != "BRAM18" || board.block_ram.has_value();
}

Bytes channel_capacity(const Board& board) {
  const auto* const ddr4 = std::get_if<Ddr4Memory>(&board.memory);
  return ddr4 ? ddr4->bytes_per_channel : Bytes{1} << 46;
}

Board read_board(const Node& node, const std::string& key) {
  Board board;
  read_map(node, key, board, kBoardFields);
  drop_settled(board.assumed, node, key);
  return board;
}

Memory read_memory(const Node& node, const std::string& key) {
  Memory memory;
  read_map(node, key, memory, kBoardFields);
  return memory;
}

Words words_of_block(BlockRam kind, int bits) {
  int width = kind == BlockRam::Bram36 ? 72 : 40;  // bits of a port; the widest has 512 words
  const int narrowest = kind == BlockRam::Bram36 ? 9 : 10;
  Words words = 512;
  if (bits > width) return words / ceil_div(bits, width);
  for (; width > narrowest && bits <= width / 2; width /= 2) words *= 2;
  return words;
}

Words words_of_uram(int bits) {
  constexpr Words kLines = 4096;
  constexpr int kLineBits = 72;
  return kLines * (kLineBits / bits);
}

Node describe_board() {
  return describe_map(Board{}, kBoardFields);
}

Node write_board(const Board& board) {
  return write_map(board, kBoardFields);
}

Node write_memory(const Memory& memory) {
  return write_map(memory, kBoardFields);
}

}  // namespace weft::config
