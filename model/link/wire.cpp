#include "model/link/wire.h"

#include <array>
#include <numeric>

namespace weft::link {

WireTime::WireTime(const PcieConfig& config) {
  // Picoseconds of a byte on one lane: 10 bits at 2.5 and 5 GT/s; 8 * 130/128 bits at 8, 16 and 32 GT/s.
  struct Symbol {
    std::int64_t ps, parts;
  };
  constexpr std::array<Symbol, 5> kSymbols{{{4000, 1}, {2000, 1}, {8125, 8}, {8125, 16}, {8125, 32}}};
  const Symbol symbol = kSymbols[static_cast<std::size_t>(config.generation - 1)];
  byte = symbol.ps * config.skp_interval_symbols;
  per_ps = symbol.parts * config.lanes * (config.skp_interval_symbols - config.skp_symbols);
  const std::int64_t common = std::gcd(byte, per_ps);
  byte /= common;
  per_ps /= common;
}

}  // namespace weft::link
