#include "model/batchlane/systemc/subsystems.h"

namespace weft::batchlane::systemc {

using sc_core::sc_module_name;

namespace {

Activities& of(const Host& host, Block block) {
  return host.activities[static_cast<std::size_t>(block)];
}

}  // namespace

FeatureModule::FeatureModule(const sc_module_name& name, Host host)
    : Stepped(name, host.clock),
      features("features", host.kernel.features.read_port),
      results("results", host.kernel.features.write_port),
      host_(host) {
  SC_HAS_PROCESS(FeatureModule);
  SC_METHOD(step);
  sensitive << host_.clock.tick();
  dont_initialize();
}

void FeatureModule::step() {
  if (waking()) return;
  const Cycles now = this->now();
  const FeatureSubsystem& blocks = host_.kernel.features;
  host_.kernel.step_features(now);
  features.forward(now);
  results.forward(host_.kernel.plan->with_data, now);
  account(1);
  if (host_.kernel.done()) clock().stop();
  if (blocks.reader_last == Activity::Active || blocks.writer_last == Activity::Active) clock().moved(now);
}

void FeatureModule::account(Cycles cycles) {
  of(host_, Block::FeatureReader).add(host_.kernel.features.reader_last, cycles);
  of(host_, Block::ResultWriter).add(host_.kernel.features.writer_last, cycles);
}

CsbModule::CsbModule(const sc_module_name& name, Host host)
    : Stepped(name, host.clock), csb("csb", host.kernel.csb_port), host_(host) {
  SC_HAS_PROCESS(CsbModule);
  SC_METHOD(step);
  sensitive << host_.clock.tick();
  dont_initialize();
}

void CsbModule::step() {
  if (waking()) return;
  const Cycles now = this->now();
  host_.kernel.step_csb(now);
  csb.forward(now);
  account(1);
  if (host_.kernel.csb_last == Activity::Active) clock().moved(now);
}

void CsbModule::account(Cycles cycles) {
  of(host_, Block::CsbReader).add(host_.kernel.csb_last, cycles);
}

ArrayModule::ArrayModule(const sc_module_name& name, Host host) : Stepped(name, host.clock), host_(host) {
  SC_HAS_PROCESS(ArrayModule);
  SC_METHOD(step);
  sensitive << host_.clock.tick();
  dont_initialize();
}

void ArrayModule::step() {
  if (waking()) return;
  const Cycles now = this->now();
  Kernel& kernel = host_.kernel;
  kernel.step_array(now);
  account(1);
  if ((kernel.array_last == Activity::Active && !kernel.array.steady()) ||
      (kernel.adder_last == Activity::Active && !kernel.adder.steady(now))) {
    clock().moved(now);
  }
}

void ArrayModule::account(Cycles cycles) {
  of(host_, Block::Array).add(host_.kernel.array_last, cycles);
  of(host_, Block::Adder).add(host_.kernel.adder_last, cycles);
  host_.kernel.array.count(cycles);
}

}  // namespace weft::batchlane::systemc
