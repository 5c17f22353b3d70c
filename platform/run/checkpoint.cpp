#include "platform/run/checkpoint.h"

#include <fmt/core.h>

#include "model/core/fnv1a.h"

namespace weft::run {

namespace {

void mix(Fnv1a64& digest, std::uint64_t number) {
  for (int i = 0; i < 8; ++i) digest.add(static_cast<unsigned char>(number >> (8 * i)));
}

void mix(Fnv1a64& digest, const std::string& text) {
  digest.add_bytes(text);
  mix(digest, text.size());
}

}  // namespace

std::string digest_of(const workloads::Network& network, const design::Work& work) {
  Fnv1a64 digest;
  mix(digest, network.name);
  for (const workloads::HostLayer& layer : network.host_layers) {
    mix(digest, layer.op);
    mix(digest, layer.name);
    for (const std::int64_t size : layer.shape) mix(digest, static_cast<std::uint64_t>(size));
  }
  for (const design::Row& row : work.rows()) {
    mix(digest, row.layer.name);
    mix(digest, conv::to_string(row.kind));
  }
  const std::size_t units = work.units().size();
  for (std::size_t unit = 0; unit < units; ++unit) {
    for (const std::int64_t number : work.identity(unit)) mix(digest, static_cast<std::uint64_t>(number));
    mix(digest, unit);
  }
  return fmt::format("{:016x}", digest.value());
}

}  // namespace weft::run
