#pragma once

#include <memory>
#include <string>
#include <vector>

#include "platform/card/card.h"
#include "platform/design/load.h"

namespace weft::test {

inline config::RunConfig card_run(const std::vector<config::Override>& overrides) {
  return design::load_run("resnet20-u250", overrides, config::Library{WEFT_CONFIG_DIR});
}

inline std::unique_ptr<card::Card> make_card(const char* name, const std::vector<config::Override>& overrides) {
  return std::make_unique<card::Card>(name, card::CardSettings{card_run(overrides), card::Execution::Data, 0});
}

// Cards with U250s' four banks of 16 GiB. SystemC has one simulation a process, so its tests share them.
struct Cards {
  std::unique_ptr<card::Card> opencl = make_card("opencl", {});
  std::unique_ptr<card::Card> xrt = make_card("xrt", {{"schedule.calls", "xrt", "test"}});
  std::unique_ptr<card::Card> copied = make_card("copied", {{"schedule.host_buffers", "copied", "test"}});
  std::unique_ptr<card::Card> region = make_card("region", {{"schedule.load", "region", "test"}});
};
inline Cards& cards() {
  static Cards all;
  return all;
}

}  // namespace weft::test
