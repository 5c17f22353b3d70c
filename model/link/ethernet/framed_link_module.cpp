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

template <typename Act>
void FramedLinkModule::attempt(Act act) {
  if (error_) return;
  try {
    act();
    arrange();
  } catch (const Error& error) {
    error_ = error;
    sc_core::sc_pause();
  }
}

void FramedLinkModule::check() const {
  if (error_) throw Error(*error_);
}

void FramedLinkModule::wake() {
  attempt([&] {
    const auto before = link_.counts().frames_received;
    link_.advance(now());
    if (link_.counts().frames_received != before) arrived_.notify(sc_core::SC_ZERO_TIME);
  });
}

void FramedLinkModule::push(Bytes bytes, std::int64_t image, bool last) {
  attempt([&] { link_.push(now(), bytes, image, last); });
}

void FramedLinkModule::take(Bytes bytes) {
  attempt([&] { link_.take(now(), bytes); });
}

void FramedLinkModule::arrange() {
  due_.cancel();
  const Ticks next = link_.next();
  if (next != kNoEvent) due_.notify(picoseconds(ceil_div(next, link_.per_ps()) - now() / link_.per_ps()));
}

}  // namespace weft::ethernet
