#include "platform/card/xrt/xclbin.h"

#include <fmt/core.h>
#include <zip.h>

#include <memory>
#include <sstream>
#include <type_traits>
#include <utility>

#include "model/core/error.h"
#include "platform/card/card.h"
#include "platform/card/xrt/kernel_folder.h"
#include "platform/card/xrt/xclbin_format.h"
#include "platform/config/node.h"
#include "platform/config/reader.h"

namespace weft::xrt {

namespace {

// Structures of XRT's xclbin.h: little-endian, with the padding of x86-64.
enum class Section : std::uint32_t {
  Bitstream = 0,
  EmbeddedMetadata = 2,
  MemTopology = 6,
  Connectivity = 7,
  IpLayout = 8
};
constexpr std::uint8_t kDdr4 = 1;
constexpr std::uint32_t kKernelIp = 1;

struct MemoryData {
  std::uint8_t type = kDdr4, used = 1;
  std::array<char, 6> padding{};
  std::uint64_t kib = 0, base = 0;
  std::array<char, 16> tag{};
};
static_assert(sizeof(MemoryData) == 40);

struct ConnectionData {
  std::int32_t argument = 0, ip = 0, bank = 0;
};

struct IpData {
  std::uint32_t type = kKernelIp, properties = 0;  // no interrupt, ap_ctrl_hs
  std::uint64_t base = kControlBase;
  std::array<char, 64> name{};
};
static_assert(sizeof(IpData) == 80);

template <class T>
void append(std::string& to, const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <std::size_t N>
void set(std::array<char, N>& field, const std::string& text) {
  if (text.size() >= N) throw Error(fmt::format("'{}' is too long for an xclbin: at most {} letters", text, N - 1));
  text.copy(field.data(), text.size());
}

void append_count(std::string& to, std::size_t count) {
  append(to, static_cast<std::int32_t>(count));
}
void pad_to_8(std::string& text) {
  text.resize((text.size() + 7) / 8 * 8);
}

[[noreturn]] void zip_failed(const zip_error_t& error) {
  throw Error(
      fmt::format("cannot make the archive of an xclbin: {}", zip_error_strerror(const_cast<zip_error_t*>(&error))));
}

// A zip archive in memory.
class Archive {
 public:
  Archive() {
    zip_error_init(&error_);
    source_.reset(zip_source_buffer_create(nullptr, 0, 0, &error_));
    if (!source_) zip_failed(error_);
    zip_source_keep(source_.get());
    archive_ = zip_open_from_source(source_.get(), ZIP_TRUNCATE, &error_);
    if (!archive_) zip_failed(error_);
  }
  ~Archive() {
    if (archive_) zip_discard(archive_);
    zip_error_fini(&error_);
  }
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  // `content` must live until bytes().
  void add(const char* name, const std::string& content, std::uint32_t mode) {
    zip_source_t* const source = zip_source_buffer(archive_, content.data(), content.size(), 0);
    const zip_int64_t index = source ? zip_file_add(archive_, name, source, ZIP_FL_ENC_UTF_8) : -1;
    if (index < 0) zip_failed(*zip_get_error(archive_));
    const auto at = static_cast<zip_uint64_t>(index);
    constexpr std::uint16_t kMidnight = 0, kFirstOf1980 = 1 << 5 | 1;  // the earliest date of the format
    zip_file_set_dostime(archive_, at, kMidnight, kFirstOf1980, 0);
    zip_set_file_compression(archive_, at, ZIP_CM_STORE, 0);
    zip_file_set_external_attributes(archive_, at, 0, ZIP_OPSYS_UNIX, mode << 16);
  }

  std::string bytes() {
    if (zip_close(archive_) != 0) zip_failed(*zip_get_error(archive_));
    archive_ = nullptr;
    zip_source_t* const source = source_.get();
    zip_stat_t stat{};
    if (zip_source_open(source) != 0 || zip_source_stat(source, &stat) != 0) zip_failed(*zip_source_error(source));
    std::string all(stat.size, '\0');
    if (zip_source_read(source, all.data(), all.size()) != static_cast<zip_int64_t>(all.size())) {
      zip_failed(*zip_source_error(source));
    }
    zip_source_close(source);
    return all;
  }

 private:
  struct FreeSource {
    void operator()(zip_source_t* source) const { zip_source_free(source); }
  };
  zip_error_t error_{};
  std::unique_ptr<zip_source_t, FreeSource> source_;
  zip_t* archive_ = nullptr;
};

// Script that the shim unpacks and starts. The program's environment names the relay, so that the file does not depend
// on the machine and build that wrote it.
std::string simulate_script() {
  return fmt::format(R"(#!/bin/sh
if [ -z "${0}" ]; then
  echo 'weft: error: this xclbin is of a simulated card: start the program with weft card CONFIG -- PROGRAM' >&2
  kill -KILL "$PPID"
  exit 1
fi
exec "${0}"
)",
                     kRelayVariable);
}

std::string bitstream_section(const Xclbin& what) {
  const std::string folder = "behav_waveform/xsim/", script = simulate_script();
  Archive archive;
  archive.add((folder + "simulate.sh").c_str(), script, 0100755);
  archive.add((folder + kBitstreamFile).c_str(), what.bitstream, 0100644);
  return archive.bytes();
}

std::string hex_digits(Address value) {
  return fmt::format("0x{:x}", value);
}

std::string metadata_section(const Xclbin& what) {
  constexpr const char* kMemoryPort = "M_AXI_GMEM";
  constexpr const char* kControlPort = "S_AXI_CONTROL";
  pugi::xml_document document;
  const auto child = [](pugi::xml_node node, const char* name,
                        const std::vector<std::pair<const char*, std::string>>& attributes) {
    pugi::xml_node made = node.append_child(name);
    for (const auto& [key, value] : attributes) made.append_attribute(key) = value.c_str();
    return made;
  };
  pugi::xml_node project = child(document, "project", {{"name", what.kernel}});
  pugi::xml_node platform =
      child(project, "platform",
            {{"vendor", "xilinx"}, {"boardid", "weft"}, {"name", what.platform}, {"featureRomTime", "0"}});
  child(platform, "version", {{"major", "1"}, {"minor", "0"}});
  pugi::xml_node device =
      child(platform, "device", {{"name", "fpga0"}, {"fpgaDevice", "virtexuplus"}, {"addrWidth", "0"}});
  pugi::xml_node core = child(device, "core",
                              {{"name", "OCL_REGION_0"},
                               {"target", "bitstream"},
                               {"type", "clc_region"},
                               {"clockFreq", "0MHz"},
                               {"numComputeUnits", "60"}});
  const std::string clock = fmt::format("{:.6g}MHz", boost::rational_cast<double>(what.clock_mhz));
  child(child(core, "kernelClocks", {}), "clock", {{"port", "KERNEL_CLK"}, {"frequency", clock}});
  pugi::xml_node kernel = child(core, "kernel",
                                {{"name", what.kernel},
                                 {"language", "c"},
                                 {"type", "pl"},
                                 {"attributes", ""},
                                 {"hash", ""},
                                 {"preferredWorkGroupSizeMultiple", "0"},
                                 {"workGroupSize", "1"},
                                 {"interrupt", "false"},
                                 {"hwControlProtocol", "ap_ctrl_hs"}});
  append_port(kernel, kMemoryPort, true, "0xFFFFFFFFFFFFFFFF", 512);
  append_port(kernel, kControlPort, false, hex_digits(card::Card::kRegisterWindow), 32);
  append_arguments(
      kernel, what.arguments, [&](int) { return std::string(kMemoryPort); }, kControlPort);
  child(
      child(kernel, "instance", {{"name", what.kernel + "_1"}}), "addrRemap",
      {{"base", hex_digits(kControlBase)}, {"range", hex_digits(card::Card::kRegisterWindow)}, {"port", kControlPort}});
  std::ostringstream out;
  document.save(out, " ");
  return out.str();
}

std::string topology_section(const Xclbin& what) {
  std::string section;
  append_count(section, static_cast<std::size_t>(what.memory.banks()));
  pad_to_8(section);
  for (int i = 0; i < what.memory.banks(); ++i) {
    MemoryData data;
    data.kib = static_cast<std::uint64_t>(what.memory.bytes_per_bank()) / 1024;
    data.base = static_cast<std::uint64_t>(what.memory.address(i));
    set(data.tag, fmt::format("bank{}", i));
    append(section, data);
  }
  return section;
}

std::string connectivity_section(const Xclbin& what) {
  std::string connections;
  std::size_t count = 0;
  for (std::size_t i = 0; i < what.arguments.size(); ++i) {
    const int port = what.arguments[i].port;
    if (port < 0) continue;
    append(connections,
           ConnectionData{static_cast<std::int32_t>(i), 0, what.bank_of_port.at(static_cast<std::size_t>(port))});
    ++count;
  }
  std::string section;
  append_count(section, count);
  return section + connections;
}

std::string layout_section(const Xclbin& what) {
  std::string section;
  append_count(section, 1);
  pad_to_8(section);
  IpData ip;
  set(ip.name, fmt::format("{0}:{0}_1", what.kernel));
  append(section, ip);
  return section;
}

}  // namespace

std::string write_xclbin(const Xclbin& what) {
  const std::vector<std::tuple<Section, const char*, std::string>> sections{
      {Section::Bitstream, "", bitstream_section(what)},
      {Section::EmbeddedMetadata, "", metadata_section(what)},
      {Section::MemTopology, "mem_topology", topology_section(what)},
      {Section::Connectivity, "connectivity", connectivity_section(what)},
      {Section::IpLayout, "ip_layout", layout_section(what)}};
  const std::size_t first = sizeof(XclbinHeader) + sections.size() * sizeof(SectionHeader);
  static_assert(sizeof(XclbinHeader) % 8 == 0 && sizeof(SectionHeader) % 8 == 0);
  std::string table, body;
  for (const auto& [kind, name, content] : sections) {
    SectionHeader header;
    header.kind = static_cast<std::uint32_t>(kind);
    set(header.name, name);
    header.offset = first + body.size();
    header.size = content.size();
    append(table, header);
    body += content;
    pad_to_8(body);
  }
  std::array<char, 64> platform{};
  set(platform, what.platform);
  std::string file;
  append(file, xclbin_header(platform, static_cast<std::uint32_t>(sections.size()), table + body));
  return file + table + body;
}

namespace {

void card_fields(config::MapIo& io, Bitstream& bitstream) {
  io.text("board", bitstream.board, config::Need::Required);
  io.integer("banks", bitstream.banks, 1, config::kMaxChannels, config::Need::Required);
  io.integer("bytes_per_bank", bitstream.bytes_per_bank, 1024, std::int64_t{1} << 40, config::Need::Required);
}

}  // namespace

std::string write_bitstream(const config::RunConfig& run, const design::AddressMap& memory,
                            const config::Kernel& kernel) {
  Bitstream bitstream{run.board.name, memory.banks(), memory.bytes_per_bank(), ""};
  config::MapWriter writer;
  card_fields(writer, bitstream);
  writer.custom("kernel", config::Need::Required, nullptr, [&] { return kernel.write(); });
  return config::to_yaml(writer.take());
}

Bitstream read_bitstream(const std::string& text) {
  const auto source = std::make_shared<const config::Source>(config::Source{"the xclbin's bitstream", "", false});
  const config::Node node = config::parse_yaml(text, source);
  config::MapReader reader(node, "");
  Bitstream bitstream;
  card_fields(reader, bitstream);
  reader.custom(
      "kernel", config::Need::Required,
      [&](const config::Node& kernel, const std::string&) { bitstream.kernel = config::to_yaml(kernel); }, nullptr);
  reader.finish();
  return bitstream;
}

void require_fits(const Bitstream& bitstream, const config::RunConfig& run, const design::AddressMap& memory) {
  if (bitstream.board != run.board.name) {
    throw Error(fmt::format("the xclbin is for board '{}', but the card is '{}'", bitstream.board, run.board.name));
  }
  if (bitstream.banks != memory.banks() || bitstream.bytes_per_bank != memory.bytes_per_bank()) {
    throw Error(fmt::format("the xclbin is for {} banks of {} bytes, but the card has {} of {}", bitstream.banks,
                            bitstream.bytes_per_bank, memory.banks(), memory.bytes_per_bank()));
  }
}

std::string platform_name(const config::Board& board) {
  if (!board.pcie) return fmt::format("xilinx_{}_xdma", board.name);
  return fmt::format("xilinx_{}_gen{}x{}_xdma", board.name, board.pcie->generation, board.pcie->lanes);
}

}  // namespace weft::xrt
