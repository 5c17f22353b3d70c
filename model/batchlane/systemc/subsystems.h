#pragma once

#include <systemc>

#include "model/batchlane/kernel.h"
#include "model/batchlane/result.h"
#include "model/systemc/event_clock.h"
#include "model/systemc/port_sockets.h"

namespace weft::batchlane::systemc {

// What a subsystem module needs of its surroundings. State and counts belong to the platform, because they are replaced
// as a whole when the next pass is loaded.
struct Host {
  weft::systemc::EventClock& clock;
  Kernel& kernel;
  BlockActivities& activities;
};

// The feature reader and the result writer with the port that they share.
class FeatureModule : public weft::systemc::Stepped {
 public:
  FeatureModule(const sc_core::sc_module_name& name, Host host);
  weft::systemc::ReadSocket features;
  weft::systemc::WriteSocket results;

 private:
  void step();
  void account(Cycles cycles) override;
  Host host_;
};

class CsbModule : public weft::systemc::Stepped {
 public:
  CsbModule(const sc_core::sc_module_name& name, Host host);
  weft::systemc::ReadSocket csb;

 private:
  void step();
  void account(Cycles cycles) override;
  Host host_;
};

// The PEs, one process for all of them, and the adder.
class ArrayModule : public weft::systemc::Stepped {
 public:
  ArrayModule(const sc_core::sc_module_name& name, Host host);

 private:
  void step();
  void account(Cycles cycles) override;
  Host host_;
};

}  // namespace weft::batchlane::systemc
