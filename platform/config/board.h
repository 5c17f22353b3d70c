#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/core/frequency.h"
#include "model/core/units.h"
#include "model/link/pcie_config.h"
#include "platform/config/reader.h"

namespace weft::config {

// Key of a board's file that names the host of its runs.
inline constexpr const char* kDefaultHostKey = "default_host";

// A resource of the device: its total, and the part that the shell of the board leaves to kernels.
struct ResourceCount {
  std::int64_t total = 0;
  std::int64_t usable = 0;
};

enum class BlockRam : std::uint8_t { Bram36, M20k };

enum class AddressMap : std::uint8_t { Rcb, Intlv };
enum class Controller : std::uint8_t { Frfcfs, Mig };

// DDR4 timing in DRAM clocks (nCK), named as in JESD79-4. Defaults follow from the data rate and the devices
// (model/memory/speed_bin.h).
struct Ddr4Timing {
  int cl = 0, cwl = 0, al = 0;
  int trcd = 0, trp = 0, tras = 0, trc = 0;
  int trrd_s = 0, trrd_l = 0, tfaw = 0;
  int tccd_s = 0, tccd_l = 0;
  int twr = 0, twtr_s = 0, twtr_l = 0, trtp = 0;
  int trefi = 0, trfc = 0;
  int read_to_write = 0;  // RD to WR: CL + BL/2 - CWL and the turn-around of the bus
};

// Key of a timing in a file, and the minimum of its value.
struct Ddr4TimingKey {
  const char* key;
  int Ddr4Timing::*clocks;
  int least = 1;
};
const std::vector<Ddr4TimingKey>& ddr4_timing_keys();

struct Ddr4Organisation {
  int ranks = 1;
  int bank_groups = 4;
  int banks_per_group = 4;
  int rows = 131072;
  int columns = 1024;
  int data_bits = 64;
  int device_bits = 4;  // data bits of one device: x4, x8 or x16
  int burst_length = 8;

  std::int64_t bits_of_device() const {
    return std::int64_t{bank_groups} * banks_per_group * rows * columns * device_bits;
  }
  Bytes bytes() const { return Bytes{ranks} * bank_groups * banks_per_group * rows * columns * data_bits / 8; }
};

struct Ddr4Queues {
  int read = 32;  // requests of 64 bytes
  int write = 32;
  int per_bank = 8;  // requests that a bank can choose from
};

// Requests that the FIFOs of a group machine of a MIG controller hold.
struct GroupMachine {
  int stage1 = 4, stage2 = 4;
};

// A drain starts when `high` writes wait and ends when `low` are left.
struct WriteDrain {
  int high = 32;
  int low = 0;
};

struct Ddr4Memory {
  int channels = 1;
  // Exact mega-transfers per second (a file may name a bin: 2133 is 6400/3); the DRAM clock is half of it.
  Frequency data_rate_mtps = 2400;
  Bytes bytes_per_channel = 0;
  Ddr4Organisation organisation;
  Ddr4Timing timing;
  AddressMap address_map = AddressMap::Intlv;
  bool auto_precharge_a3 = false;
  Controller controller = Controller::Frfcfs;
  GroupMachine group_machine;
  Ddr4Queues queues;
  WriteDrain write_drain;
  int row_hit_limit = 16;  // accesses of one activation after which a waiting row conflict goes first
  Rational controller_latency_ns = 0;
  int shell_latency_cycles = 0;   // kernel cycles
  int write_response_cycles = 0;  // kernel cycles, added to both for a write response

  Frequency clock() const { return data_rate_mtps / 2; }
};

// One beat per cycle and port after a fixed latency; no banks, no refresh, no sharing.
struct IdealMemory {
  int latency_cycles = 0;
};

// A memory without a timing model: only resource checks and equations accept it.
struct UnmodelledMemory {
  enum class Kind : std::uint8_t { Ddr3, Hbm };
  Kind kind = Kind::Ddr3;
  int channels = 1;
  Frequency data_rate_mtps = 1600;
  Bytes bytes_per_channel = 0;
};

using Memory = std::variant<Ddr4Memory, IdealMemory, UnmodelledMemory>;

inline constexpr int kMaxChannels = 64;

const char* kind_name(const Memory& memory);  // as memory.kind has it
int channels(const Memory& memory);           // 0: one for each port

struct Network {
  std::string connector;
  int ports = 0;
  double gbits_per_s_per_port = 0;
  int overhead_bytes_per_packet = 66;
  double round_trip_direct_us = 0;
  double round_trip_switch_us = 0;
};

struct Board {
  std::string name;
  std::string title;
  std::string part;
  std::optional<ResourceCount> dsp, block_ram, uram;
  std::optional<ResourceCount> lut, ff;
  std::optional<ResourceCount> mlab;  // Intel devices: logic blocks that can be small memories
  BlockRam block_ram_kind = BlockRam::Bram36;
  int slrs = 1;
  Memory memory;
  std::optional<link::PcieConfig> pcie;  // through the DMA engine of the board's shell
  std::optional<Network> network;
  std::string default_host;          // host of runs that name none; "": none
  std::vector<std::string> assumed;  // dotted keys whose values are assumed, not read from a source
};

// Words of `bits` bits, 1 to 64, that a block of a kind holds, in its port shape of that width or the next larger one:
// 1024 of 32 bits in a BRAM36, 512 in an M20K. Wider words than a port take several blocks.
Words words_of_block(BlockRam kind, int bits);
// Words of `bits` bits in an UltraRAM, of 4096 lines of 72 bits.
Words words_of_uram(int bits);

// False if the board does not state how many of a resource ("DSP", "BRAM18") it has, though every device has some.
bool states(const Board& board, const std::string& resource);

Bytes channel_capacity(const Board& board);  // bytes of a memory channel; 2^46 if the memory is not ddr4

// `key`: dotted key of the node in the run ("board"), or "" in a file of its own.
Board read_board(const Node& node, const std::string& key);
Memory read_memory(const Node& node, const std::string& key);
Node describe_board();  // a JSON Schema
Node write_board(const Board& board);
Node write_memory(const Memory& memory);

}  // namespace weft::config
