#include "model/link/ethernet/framed_link_module.h"

namespace weft::ethernet {
namespace {

sc_core::sc_time picoseconds(Picoseconds ps) {
  return sc_core::sc_time(static_cast<double>(ps), sc_core::SC_PS);
}

}  // namespace

FramedLinkModule::FramedLinkModule(const sc_core::sc_module_name& name, const FramedConfig& config)
    : sc_module(name), link_(static_cast<const char*>(name), config) {
  SC_HAS_PROCESS(FramedLinkModule);
  SC_METHOD(wake);
  sensitive << due_;
  dont_initialize();
}

Ticks FramedLinkModule::now() const {
  return static_cast<Ticks>(sc_core::sc_time_stamp().value() / picoseconds(1).value()) * link_.per_ps();
}

void FramedLinkModule::wake() {
  const auto before = link_.counts().frames_received;
  link_.advance(now());
  if (link_.counts().frames_received != before) arrived_.notify(sc_core::SC_ZERO_TIME);
  arrange();
}

void FramedLinkModule::push(Bytes bytes, std::int64_t image, bool last) {
  link_.push(now(), bytes, image, last);
  arrange();
}

void FramedLinkModule::take(Bytes bytes) {
  link_.take(now(), bytes);
  arrange();
}

void FramedLinkModule::arrange() {
  due_.cancel();
  const Ticks next = link_.next();
  if (next != kNoEvent) due_.notify(picoseconds(ceil_div(next, link_.per_ps()) - now() / link_.per_ps()));
}

}  // namespace weft::ethernet
