#include "platform/card/ddr_bank.h"
#include "platform/config/host.h"
#include "tests/support/texts.h"
#include "tests/unit/platform/card/cards.h"

namespace weft::card {
namespace {

using link::Direction;
using test::cards;

constexpr Bytes kMessage = HostLink::kMessage;
constexpr Bytes kBank = Bytes{16} << 30;

std::vector<unsigned char> counted(std::size_t bytes) {
  std::vector<unsigned char> data(bytes);
  for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<unsigned char>(i * 7 + i / 251);
  return data;
}

// Returns the time of one call by the link's model and the host's costs.
Picoseconds call(const Card& card, Direction direction, Address host_address, Bytes bytes) {
  const config::Schedule& how = card.run().schedule;
  link::Link link(*card.run().board.pcie);
  return link.time(direction, host_address, bytes, host::call_cost(*card.run().host, how.calls, direction),
                   how.host_buffers == config::HostBuffers::Copied);
}

TEST(AddressMap, PutsTheBanksOneBehindTheOtherFrom256GiB) {
  const design::AddressMap& memory = cards().opencl->memory();
  EXPECT_EQ(memory.banks(), 4);
  EXPECT_EQ(memory.address(0), 0x4000000000);
  EXPECT_EQ(memory.address(1, 5), 0x4400000005);
  EXPECT_EQ(memory.place(0x4BFFFFFFFF)->bank, 2);
  EXPECT_EQ(memory.place(0x4BFFFFFFFF)->within, kBank - 1);
  EXPECT_FALSE(memory.place(0x3FFFFFFFFF));
  EXPECT_FALSE(memory.place(0x5000000000));
  EXPECT_TRUE(memory.holds(0x5000000000, 0));
  EXPECT_FALSE(memory.holds(0x4FFFFFFFFF, 2));
}

TEST(Transfer, TakesThePicosecondsOfTheLinksModelAndTheHostsCalls) {
  std::vector<unsigned char> data = counted(100'001);
  for (Card* card : {cards().opencl.get(), cards().xrt.get()}) {
    for (const Bytes bytes : {Bytes{0}, Bytes{1}, Bytes{4096}, Bytes{100'001}}) {
      Picoseconds before = card->now();
      card->write(card->memory().address(0, 64), data.data(), bytes, 12);
      EXPECT_EQ(card->now() - before, call(*card, Direction::HostToCard, 12, bytes));
      before = card->now();
      card->read(card->memory().address(0, 64), data.data(), bytes, 12);
      EXPECT_EQ(card->now() - before, call(*card, Direction::CardToHost, 12, bytes));
    }
  }
}

TEST(Transfer, OfBuffersThatAreCopiedLeavesFromAnAlignedOne) {
  Card& card = *cards().copied;
  std::vector<unsigned char> data = counted(100'001);
  const Picoseconds before = card.now();
  card.write(card.memory().address(0), data.data(), 100'001, 12);
  EXPECT_EQ(card.now() - before, call(card, Direction::HostToCard, 0, 100'001));
}

TEST(Transfer, MovesDataThereAndBackInEveryBank) {
  Card& card = *cards().opencl;
  const std::vector<unsigned char> sent = counted(70'003);
  for (int bank = 0; bank < 4; ++bank) {
    const Address address = card.memory().address(bank, 1'000'005);
    card.write(address, sent.data(), static_cast<Bytes>(sent.size()));
    std::vector<unsigned char> back(sent.size());
    card.read(address, back.data(), static_cast<Bytes>(back.size()));
    EXPECT_EQ(back, sent);
  }
}

TEST(Transfer, AcrossTwoBanksLandsInBoth) {
  Card& card = *cards().opencl;
  const std::vector<unsigned char> sent = counted(1000);
  card.write(card.memory().address(1) - 400, sent.data(), 1000);
  std::vector<unsigned char> first(400), second(600);
  card.read(card.memory().address(0, kBank - 400), first.data(), 400);
  card.read(card.memory().address(1), second.data(), 600);
  EXPECT_EQ(first, std::vector<unsigned char>(sent.begin(), sent.begin() + 400));
  EXPECT_EQ(second, std::vector<unsigned char>(sent.begin() + 400, sent.end()));
}

TEST(Transfer, OfSeveralFullMessagesIsOneCall) {
  Card& card = *cards().opencl;
  const std::vector<unsigned char> sent = counted(2 * kMessage + 777);
  const Address address = card.memory().address(2, 4096);
  std::vector<Call> calls;
  card.finish();
  card.on_call = [&](const Call& each) { calls.push_back(each); };
  const std::int64_t transfers = card.totals().transfers;
  const Picoseconds start = card.now();
  card.write(address, sent.data(), kMessage, 36);
  EXPECT_EQ(card.now() - start, call(card, Direction::HostToCard, 36, kMessage));
  card.write(address + kMessage, sent.data() + kMessage, kMessage);
  EXPECT_EQ(card.now() - start, call(card, Direction::HostToCard, 36, 2 * kMessage));
  EXPECT_TRUE(calls.empty());
  card.write(address + 2 * kMessage, sent.data() + 2 * kMessage, 777);
  EXPECT_EQ(card.now() - start, call(card, Direction::HostToCard, 36, 2 * kMessage + 777));
  EXPECT_EQ(card.totals().transfers, transfers + 1);
  card.finish();
  card.on_call = nullptr;
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0].kind, Call::Kind::ToCard);
  EXPECT_EQ(calls[0].address, address);
  EXPECT_EQ(calls[0].bytes, 2 * kMessage + 777);
  EXPECT_EQ(calls[0].start, start);
  EXPECT_EQ(calls[0].end, card.now());
}

// The end of a transfer does not depend on queries of the time between its messages.
TEST(Transfer, TakesAsLongWhetherOrNotTheTimeIsAskedForBetweenItsMessages) {
  Card& card = *cards().opencl;
  std::vector<unsigned char> data(static_cast<std::size_t>(kMessage));
  card.finish();
  for (const Bytes last : {kMessage, Bytes{5}, Bytes{0}}) {
    const Picoseconds start = card.now();
    const Picoseconds to_host = card.totals().to_host_time;
    for (int i = 0; i < 3; ++i) card.read(card.memory().address(1, i * kMessage), data.data(), kMessage);
    card.read(card.memory().address(1, 3 * kMessage), data.data(), last);
    EXPECT_EQ(card.now() - start, call(card, Direction::CardToHost, 0, 3 * kMessage + last));
    EXPECT_EQ(card.totals().to_host_time - to_host, card.now() - start);
    card.finish();
  }
}

// Each of these events separates two messages.
TEST(Transfer, IsACallOfItsOwnBehindAShortMessageElsewhereOrInTheOtherDirection) {
  Card& card = *cards().opencl;
  std::vector<unsigned char> data(static_cast<std::size_t>(kMessage));
  const Address address = card.memory().address(3);
  const Picoseconds full = call(card, Direction::HostToCard, 0, kMessage);
  const auto write = [&](Address at, Bytes bytes) {
    const Picoseconds before = card.now();
    card.write(at, data.data(), bytes);
    return card.now() - before;
  };
  card.finish();
  write(address, kMessage - 1);  // short
  EXPECT_EQ(write(address + kMessage - 1, kMessage), full);
  EXPECT_EQ(write(address + 3 * kMessage, kMessage), full);  // a gap
  Picoseconds before = card.now();
  card.read(address + 4 * kMessage, data.data(), kMessage);  // the other direction
  EXPECT_EQ(card.now() - before, call(card, Direction::CardToHost, 0, kMessage));
  EXPECT_EQ(write(address + 5 * kMessage, kMessage), full);
  card.finish();  // another request
  EXPECT_EQ(write(address + 6 * kMessage, kMessage), full);
  EXPECT_LT(write(address + 7 * kMessage, kMessage), full);
  before = card.now();
  card.advance(1'000'000);
  EXPECT_EQ(card.now(), before + 1'000'000);
  EXPECT_EQ(write(address + 8 * kMessage, kMessage), full);
}

TEST(Transfer, OutsideTheBanksIsAnErrorAndTakesNoTime) {
  Card& card = *cards().opencl;
  const Picoseconds before = card.now();
  unsigned char byte = 0;
  const auto refused = [&](Address address, Bytes bytes, const std::string& message) {
    EXPECT_EQ(test::message_of([&] { card.write(address, &byte, bytes); }), message);
    EXPECT_THROW(card.read(address, &byte, bytes), Error);
  };
  const std::string within = " of the card does not lie within its memory, 0x4000000000 to 0x4fffffffff";
  refused(0x5000000000, 1, "a transfer of 1 bytes at address 0x5000000000" + within);
  refused(0x4fffffffff, 2, "a transfer of 2 bytes at address 0x4fffffffff" + within);
  refused(0x3fffffffff, 1, "a transfer of 1 bytes at address 0x3fffffffff" + within);
  refused(-1, 1, "a transfer of 1 bytes at address 0xffffffffffffffff" + within);
  refused(0x4000000000, -1, "a transfer of -1 bytes at address 0x4000000000" + within);
  EXPECT_EQ(card.now(), before);
  card.write(0x5000000000, &byte, 0);  // zero bytes, at the very end
}

config::Board board(const std::string& name, const std::vector<config::Override>& overrides = {}) {
  return config::load_board(name, overrides, config::Library{WEFT_CONFIG_DIR});
}

void expect_refused(const config::Board& board, const std::string& part) {
  EXPECT_TRUE(test::fails([&] { require_memory_keeps_up(board); }, part));
}

TEST(KeepsUp, HoldsForTheCardsWithFourDdr4Channels) {
  for (const char* name : {"u200", "u250", "vu9p_f1", "kcu1500"}) require_memory_keeps_up(board(name));
}

TEST(KeepsUp, RefusesMemoriesThatWouldHoldUpATransferNamingTheKeys) {
  expect_refused(board("agfb014"), "organisation.data_bits");
  expect_refused(board("u50"), "memory.kind is hbm");
  expect_refused(board("arria10_10ax115"), "has no link to a host (key pcie)");
  // 12.74 GB/s for 454 clocks of 1200 MHz are 4820 bytes; 32 x 512 are in flight.
  const auto buffer = [](const char* bytes) { return board("u250", {{"pcie.dma.buffer_bytes", bytes, "test"}}); };
  expect_refused(buffer("21203"), "pcie.dma.buffer_bytes 21203 leaves 4819");
  require_memory_keeps_up(buffer("21205"));
}

}  // namespace
}  // namespace weft::card
