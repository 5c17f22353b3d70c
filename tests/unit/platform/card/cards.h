#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "model/fpgpt/registers.h"
#include "platform/card/card.h"
#include "platform/catalogue/designs.h"
#include "platform/designs/fpgpt/kernel_config.h"

namespace weft::test {

inline config::RunConfig card_run(const std::vector<config::Override>& overrides) {
  return design::load_run("resnet20-u250", overrides, config::Library{WEFT_CONFIG_DIR});
}

inline std::unique_ptr<card::Card> make_card(const char* name, card::Execution execution,
                                             const std::vector<config::Override>& overrides) {
  return std::make_unique<card::Card>(name, card::CardSettings{card_run(overrides), execution, 0});
}

// Cards with U250s' four banks of 16 GiB. SystemC has one simulation per process, so its tests share them.
struct Cards {
  std::unique_ptr<card::Card> opencl = make_card("opencl", card::Execution::Data, {});
  std::unique_ptr<card::Card> opencl_fast = make_card("opencl_fast", card::Execution::Fast, {});
  std::unique_ptr<card::Card> xrt = make_card("xrt", card::Execution::Fast, {{"schedule.calls", "xrt", "test"}});
  std::unique_ptr<card::Card> copied =
      make_card("copied", card::Execution::Fast, {{"schedule.host_buffers", "copied", "test"}});
  std::unique_ptr<card::Card> region =
      make_card("region", card::Execution::Fast, {{"schedule.load", "region", "test"}});
};
inline Cards& cards() {
  static Cards all;
  return all;
}

inline std::string bitstream(const fpgpt::Alpha& alpha) {
  return config::to_yaml(fpgpt::kernel_config_of(alpha).write());
}

// Returns a convolution with card addresses in place of bases relative to the banks of its ports.
inline conv::Convolution on_card(conv::Convolution beta, const design::AddressMap& memory,
                                 const std::array<int, fpgpt::kPorts>& banks = {0, 1, 2}) {
  beta.inp.base = memory.address(banks[0], beta.inp.base);
  beta.kern.base = memory.address(banks[1], beta.kern.base);
  beta.out.base = memory.address(banks[2], beta.out.base);
  return beta;
}

inline void write_beta(card::Card& card, const conv::Convolution& beta, NumberFormat format = NumberFormat::fp32()) {
  const fpgpt::BetaWords words = fpgpt::encode(beta, format);
  for (std::size_t i = 0; i < words.size(); ++i) {
    card.write_register(fpgpt::kBeta + 4 * static_cast<Address>(i), words[i]);
  }
}
inline void start(card::Card& card) {
  card.write_register(fpgpt::kCtrl, fpgpt::kCtrlStart);
}
inline void wait(card::Card& card) {
  while ((card.read_register(fpgpt::kCtrl) & fpgpt::kCtrlDone) == 0) {
  }
}

// Launches a convolution whose bases are relative to the banks of its ports.
inline void launch(card::Card& card, const conv::Convolution& beta, NumberFormat format = NumberFormat::fp32()) {
  write_beta(card, on_card(beta, card.memory()), format);
  start(card);
}

}  // namespace weft::test
