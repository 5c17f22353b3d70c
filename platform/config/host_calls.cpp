#include "platform/config/host_calls.h"

#include "model/core/error.h"

namespace weft::host {

const config::CallCosts& costs(const config::Host& host, config::Calls calls) {
  return calls == config::Calls::OpenCl ? host.opencl : host.xrt;
}

link::CallCost call_cost(const config::Host& host, config::Calls calls, link::Direction direction) {
  const config::CallCosts& of = costs(host, calls);
  link::CallCost cost;
  cost.setup_ps = direction == link::Direction::HostToCard ? of.to_card_ps : of.to_host_ps;
  cost.copy_to_card_bytes_per_s = host.copy_to_card_bytes_per_s;
  cost.copy_to_host_bytes_per_s = host.copy_to_host_bytes_per_s;
  return cost;
}

Picoseconds launch_time(const config::Host& host, config::Calls calls, std::int64_t register_writes, bool queued) {
  const config::CallCosts& of = costs(host, calls);
  constexpr const char* kWhat = "the picoseconds of a launch";
  return checked::sum(kWhat, {queued ? of.launch_pipelined_ps : of.launch_ps,
                              checked::product(kWhat, {register_writes, of.register_write_ps})});
}

Picoseconds tile_time(const config::Host& host, std::int64_t words) {
  return checked::product("the picoseconds of putting words into tiles", {words, host.matrices.value().tile_ps});
}

Picoseconds quantise_time(const config::Host& host, std::int64_t words) {
  return checked::product("the picoseconds of quantising words", {words, host.quantiser.value().quantise_ps});
}

Picoseconds dequantise_time(const config::Host& host, std::int64_t words) {
  return checked::product("the picoseconds of dequantising words", {words, host.quantiser.value().dequantise_ps});
}

Picoseconds untile_time(const config::Host& host, std::int64_t words, std::int64_t col2im) {
  constexpr const char* kWhat = "the picoseconds of taking words out of tiles";
  const config::MatrixCosts& costs = host.matrices.value();
  return checked::sum(
      kWhat, {checked::product(kWhat, {words, costs.untile_ps}), checked::product(kWhat, {col2im, costs.col2im_ps})});
}

Picoseconds im2col_time(const config::Host& host, Bytes written) {
  // Whole seconds apart, so that no product exceeds 64 bits: a rate is at most 10^15.
  constexpr std::int64_t kPsPerSecond = 1'000'000'000'000;
  const std::int64_t rate = host.im2col_bytes_per_s;
  __extension__ using Wide = unsigned __int128;
  const auto rest = static_cast<Wide>(written % rate) * kPsPerSecond;
  constexpr const char* kWhat = "the picoseconds of im2col";
  return checked::sum(kWhat, {checked::product(kWhat, {written / rate, kPsPerSecond}),
                              static_cast<Picoseconds>((rest + rate - 1) / rate)});
}

}  // namespace weft::host
