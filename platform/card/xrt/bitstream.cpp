#include "platform/card/xrt/bitstream.h"

#include <fmt/core.h>

#include <memory>

#include "model/core/error.h"
#include "platform/config/node.h"
#include "platform/config/reader.h"

namespace weft::xrt {

namespace {

template <class Io>
void card_fields(Io& io, Bitstream& bitstream) {
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
  writer.custom("kernel", config::Need::Required, 0, [&] { return std::optional(kernel.write()); });
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
      [&](const config::Node& kernel, const std::string&) { bitstream.kernel = config::to_yaml(kernel); }, 0);
  reader.finish();
  return bitstream;
}

void require_fits(const Bitstream& bitstream, const config::RunConfig& run, const design::AddressMap& memory) {
  if (bitstream.board != run.board.name) {
    throw Error(fmt::format("the xclbin is for board '{}', and the card is '{}'", bitstream.board, run.board.name));
  }
  if (bitstream.banks != memory.banks() || bitstream.bytes_per_bank != memory.bytes_per_bank()) {
    throw Error(fmt::format("the xclbin is for {} banks of {} bytes, and the card has {} of {}", bitstream.banks,
                            bitstream.bytes_per_bank, memory.banks(), memory.bytes_per_bank()));
  }
}

std::string platform_name(const config::Board& board) {
  if (!board.pcie) return fmt::format("xilinx_{}_xdma", board.name);
  return fmt::format("xilinx_{}_gen{}x{}_xdma", board.name, board.pcie->generation, board.pcie->lanes);
}

}  // namespace weft::xrt
