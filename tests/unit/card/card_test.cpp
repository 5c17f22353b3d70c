#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "model/core/error.h"
#include "model/systemc/event_clock.h"
#include "platform/card/card_memory.h"
#include "platform/card/dma_engine.h"
#include "platform/card/host_link.h"
#include "platform/card/interconnect.h"
#include "platform/card/keeps_up.h"
#include "platform/card/pcie_endpoint.h"
#include "platform/config/run_config.h"

namespace weft::card {
namespace {

config::Board board(const std::string& name, const std::vector<config::Override>& overrides = {}) {
  return config::load_board(name, overrides, config::Library{WEFT_CONFIG_DIR});
}

// A U250: four banks of 16 GiB. SystemC has one simulation a process, so the tests share it.
class Card {
 public:
  static constexpr Bytes kBank = Bytes{16} << 30;

  static Card& instance() {
    static Card card;
    return card;
  }

  const link::PcieConfig config;
  CardClock clock;
  HostLink host{"host", clock, 4 * kBank};
  PcieEndpoint endpoint{"endpoint", config};
  DmaEngine engine{"engine"};
  Interconnect interconnect{"interconnect", 4, kBank};
  std::vector<std::unique_ptr<CardMemory>> banks;

 private:
  Card() : config(*board("u250").pcie) {
    host.socket.bind(endpoint.socket);
    endpoint.engine.bind(engine.socket);
    engine.memory.bind(interconnect.socket);
    for (int i = 0; i < 4; ++i) {
      banks.push_back(std::make_unique<CardMemory>(("bank" + std::to_string(i)).c_str(), kBank));
      interconnect.bank(i).bind(banks.back()->socket);
    }
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
};

link::CallCost opencl() {
  link::CallCost cost;
  cost.setup_ps = 9'000'000;
  cost.copy_to_card_bytes_per_s = 2'800'000'000;
  return cost;
}

std::vector<unsigned char> counted(std::size_t bytes) {
  std::vector<unsigned char> data(bytes);
  for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<unsigned char>(i * 7 + i / 251);
  return data;
}

TEST(Card, ATransferTakesThePicosecondsOfTheLinksModel) {
  Card& card = Card::instance();
  link::Link link(card.config);
  std::vector<unsigned char> data = counted(100'001);
  for (const Bytes bytes : {Bytes{0}, Bytes{1}, Bytes{4096}, Bytes{100'001}}) {
    for (const bool copied : {false, true}) {
      Picoseconds before = card.clock.now();
      card.host.write(64, data.data(), bytes, 12, opencl(), copied);
      EXPECT_EQ(card.clock.now() - before, link.time(link::Direction::HostToCard, 12, bytes, opencl(), copied));
      before = card.clock.now();
      card.host.read(64, data.data(), bytes, 12, opencl(), copied);
      EXPECT_EQ(card.clock.now() - before, link.time(link::Direction::CardToHost, 12, bytes, opencl(), copied));
    }
  }
}

TEST(Card, DataArriveAndComeBack) {
  Card& card = Card::instance();
  const std::vector<unsigned char> sent = counted(70'003);
  const Address address = 3 * Card::kBank + 5;
  card.host.write(address, sent.data(), static_cast<Bytes>(sent.size()), 0, {});
  EXPECT_EQ(std::to_integer<int>(*card.banks[3]->contents().at(5 + 1000)), sent[1000]);
  std::vector<unsigned char> back(sent.size());
  card.host.read(address, back.data(), static_cast<Bytes>(back.size()), 0, {});
  EXPECT_EQ(back, sent);
}

TEST(Card, ATransferAcrossTwoBanksLandsInBoth) {
  Card& card = Card::instance();
  const std::vector<unsigned char> sent = counted(1000);
  card.host.write(Card::kBank - 400, sent.data(), 1000, 0, {});
  EXPECT_EQ(std::to_integer<int>(*card.banks[0]->contents().at(Card::kBank - 1)), sent[399]);
  EXPECT_EQ(std::to_integer<int>(*card.banks[1]->contents().at(0)), sent[400]);
  EXPECT_EQ(std::to_integer<int>(*card.banks[1]->contents().at(599)), sent[999]);
  std::vector<unsigned char> back(1000);
  card.host.read(Card::kBank - 400, back.data(), 1000, 0, {});
  EXPECT_EQ(back, sent);
}

TEST(Card, WhatDoesNotLieInItsMemoryIsAnErrorAndTakesNoTime) {
  Card& card = Card::instance();
  const Picoseconds before = card.clock.now();
  unsigned char byte = 0;
  const auto refused = [&](Address address, Bytes bytes, const std::string& message) {
    try {
      card.host.write(address, &byte, bytes, 0, opencl());
      ADD_FAILURE() << "accepted; expected: " << message;
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()), message);
    }
  };
  refused(
      4 * Card::kBank, 1,
      "a transfer of 1 bytes at address 68719476736 of the card does not lie within its 68719476736 bytes of memory");
  refused(
      4 * Card::kBank - 1, 2,
      "a transfer of 2 bytes at address 68719476735 of the card does not lie within its 68719476736 bytes of memory");
  refused(-1, 1, "a transfer of 1 bytes at address -1 of the card does not lie within its 68719476736 bytes of memory");
  EXPECT_EQ(card.clock.now(), before);
  card.host.write(4 * Card::kBank, &byte, 0, 0, {});  // nothing, at the very end
}

void expect_refused(const config::Board& board, const std::string& part) {
  try {
    require_memory_keeps_up(board);
    ADD_FAILURE() << "accepted; expected: " << part;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(KeepsUp, HoldsForTheCardsWithFourDdr4Channels) {
  for (const char* name : {"u200", "u250", "vu9p_f1", "kcu1500"}) require_memory_keeps_up(board(name));
}

TEST(KeepsUp, RefusesMemoriesThatWouldHoldUpATransferNamingTheKeys) {
  expect_refused(board("agfb014"), "organisation.data_bits");
  expect_refused(board("u50"), "memory.kind is hbm");
  expect_refused(board("arria10_10ax115"), "has no link to a host (key pcie)");
  // 12.74 GB/s for 454 clocks of 1200 MHz are 4820 bytes; 32 x 512 are under way.
  const auto buffer = [](const char* bytes) { return board("u250", {{"pcie.dma.buffer_bytes", bytes, "test"}}); };
  expect_refused(buffer("21203"), "pcie.dma.buffer_bytes 21203 leaves 4819");
  require_memory_keeps_up(buffer("21205"));
}

}  // namespace
}  // namespace weft::card
