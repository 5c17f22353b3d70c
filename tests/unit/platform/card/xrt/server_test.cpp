#include "platform/card/xrt/server.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstring>
#include <random>
#include <thread>

#include "platform/card/xrt/xclbin.h"
#include "platform/catalogue/designs.h"
#include "platform/config/host.h"
#include "tests/support/texts.h"

namespace weft::xrt {
namespace {

using namespace std::string_literals;

constexpr Address kBank = 0x40'0000'0000;

// SystemC has one simulation per process, so the tests share a card.
card::Card& the_card() {
  static card::Card card("card", [] {
    card::CardSettings settings;
    settings.run = design::load_run(WEFT_SOURCE_DIR "/tests/hosts/card.yaml", {}, config::Library{WEFT_CONFIG_DIR});
    return settings;
  }());
  static const bool loaded = [&] {
    card.load(config::to_yaml(card.run().kernel->write()));
    return true;
  }();
  EXPECT_TRUE(loaded);
  return card;
}

std::string frame(std::uint32_t api, const std::string& payload) {
  std::string text = response_header(payload.size()) + "\x15";
  for (int i = 0; i < 4; ++i) text += static_cast<char>(api >> (8 * i));
  return text + payload;
}
std::string frame(Api api, const std::string& payload) {
  return frame(static_cast<std::uint32_t>(api), payload);
}

struct Field {
  std::uint32_t number;
  std::uint64_t value = 0;
  std::string bytes = {};
  bool is_bytes = false;
};
std::string message(const std::vector<Field>& fields) {
  std::string text;
  for (const Field& field : fields) {
    if (field.is_bytes) {
      put_bytes(text, field.number, field.bytes);
    } else {
      put_number(text, field.number, field.value);
    }
  }
  return text;
}
std::string to_card(Address address, const std::string& data, Address seek = 0) {
  return frame(Api::CopyHostToDevice, message({{2, 0, "handle", true},
                                               {3, static_cast<std::uint64_t>(address)},
                                               {4, 0, data, true},
                                               {5, data.size()},
                                               {6, static_cast<std::uint64_t>(seek)}}));
}
std::string to_host(Address address, std::uint64_t bytes, Address skip = 0) {
  return frame(Api::CopyDeviceToHost, message({{2, 0, "handle", true},
                                               {3, 0, std::string(bytes, ' '), true},
                                               {4, static_cast<std::uint64_t>(address)},
                                               {5, bytes},
                                               {6, static_cast<std::uint64_t>(skip)}}));
}
std::string close_call() {
  return frame(Api::Close, message({{2, 0, "handle", true}, {3, 0}}));
}

struct Conversation {
  bool closed = false;
  std::string error;
  std::vector<std::string> warnings;
  std::string answers;  // the messages of the answers, without headers
  std::uint64_t unordered = 0;
  std::int64_t starts = 0;  // starts whose end was polled
};

// Sends `calls` to a server of the card, receives all its answers, and disconnects.
// `queued`: whether XRT's starts count as queued.
Conversation say(const std::string& calls, bool queued = false) {
  std::array<int, 2> ends{};
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
  Conversation heard;
  std::int64_t& starts = heard.starts;
  Server server(
      the_card(),
      {[&](const std::string& line) { heard.warnings.push_back(line); }, {}, {}, [&] { return ++starts, queued; }});
  std::string all;
  std::thread shim([&] {
    std::size_t sent = 0;
    bool talking = true;
    while (true) {
      pollfd event{ends[0], static_cast<short>(talking ? POLLIN | POLLOUT : POLLIN), 0};
      poll(&event, 1, -1);
      if (talking && (event.revents & POLLOUT) != 0) {
        const ssize_t wrote = send(ends[0], calls.data() + sent, calls.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (wrote > 0) sent += static_cast<std::size_t>(wrote);
        talking = sent < calls.size() && wrote > 0;
        if (!talking) shutdown(ends[0], SHUT_WR);
      }
      if ((event.revents & (POLLIN | POLLHUP)) != 0) {
        std::array<char, 65536> block{};
        const ssize_t got = read(ends[0], block.data(), block.size());
        if (got <= 0) return;
        all.append(block.data(), static_cast<std::size_t>(got));
      }
    }
  });
  try {
    heard.closed = server.serve(ends[1]);
  } catch (const Error& error) {
    heard.error = error.what();
  }
  close(ends[1]);
  shim.join();
  close(ends[0]);
  while (all.size() >= kResponseHeaderBytes) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, all.data() + 1, sizeof bytes);
    heard.answers += all.substr(kResponseHeaderBytes, bytes);
    all.erase(0, kResponseHeaderBytes + bytes);
  }
  EXPECT_EQ(all, "");
  heard.unordered = server.unordered_calls();
  return heard;
}

TEST(Server, WhatIsWrittenIsRead) {
  const std::string data(3000, 'd');
  const Conversation heard = say(to_card(kBank + 4096, data) + to_host(kBank + 4096, 3000) + close_call());
  EXPECT_EQ(heard.error, "");
  EXPECT_TRUE(heard.closed);
  EXPECT_EQ(heard.answers, message({{1, 3000}}) + message({{1, 3000}, {2, 0, data, true}}) + message({{1, 1}}));
}

// The shim gives the address of the buffer and, separately, the offset of a transfer in it.
TEST(Server, ATransferBeginsAtTheBufferAndItsOffset) {
  const Conversation heard =
      say(to_card(kBank + 8192, "abcdef", 3) + to_host(kBank + 8195, 6) + to_host(kBank + 8192, 2, 4) + close_call());
  EXPECT_EQ(heard.answers, message({{1, 6}}) + message({{1, 6}, {2, 0, "abcdef", true}}) +
                               message({{1, 2}, {2, 0, "bc", true}}) + message({{1, 1}}));
}

TEST(Server, ATransferOutsideOfTheBanksEndsTheRunAndMovesNothing) {
  const Picoseconds before = the_card().now();
  const Address end = kBank + the_card().memory().bytes();
  for (const Address address : {Address{0}, kBank - 1, end - 1, end, Address{1} << 61}) {
    EXPECT_NE(say(to_card(address, "ab") + close_call()).error, "") << address;
    EXPECT_NE(say(to_host(address, 2) + close_call()).error, "") << address;
  }
  EXPECT_EQ(the_card().now(), before);
  EXPECT_EQ(say(to_card(end - 2, "ab") + close_call()).error, "");
}

// Among XRT's calls only this one can report an error to the program.
TEST(Server, ARegisterThatIsNotThereIsAnsweredWithFalse) {
  const auto write = [](std::uint64_t address) {
    return frame(Api::WriteKernelControl, message({{2, address}, {3, 4}, {4, 0, "abcd", true}}));
  };
  const auto window = static_cast<std::uint64_t>(card::Card::kRegisterWindow);
  const Conversation heard = say(write(kControlBase + window) + write(kControlBase - 4) + close_call());
  EXPECT_EQ(heard.error, "");
  EXPECT_EQ(heard.warnings.size(), 2U);
  EXPECT_EQ(heard.answers, message({{1, 0}}) + message({{1, 0}}) + message({{1, 1}}));
}

TEST(Server, RegistersKeepWhatIsWritten) {
  const Conversation heard = say(
      frame(Api::WriteKernelControl, message({{2, kControlBase + 0x28}, {3, 8}, {4, 0, "\1\0\0\0\2\0\0\0"s, true}})) +
      frame(Api::ReadKernelControl, message({{2, kControlBase + 0x2c}, {3, 4}})) + close_call());
  EXPECT_EQ(heard.answers, message({{1, 1}}) + message({{1, 1}, {2, 0, "\2\0\0\0"s, true}}) + message({{1, 1}}));
}

TEST(Server, WhatIsNoCallEndsTheConversationWithAReason) {
  EXPECT_TRUE(test::has(say("this is no header of a call").error, "header"));
  EXPECT_TRUE(test::has(say(frame(7777, "")).error, "7777"));
  EXPECT_NE(say(frame(Api::CopyHostToDevice, "\x0b")).error, "");
  EXPECT_NE(say(frame(Api::CopyHostToDevice, "")).error, "");
  EXPECT_NE(say(to_host(kBank, kPacketBytes + 1)).error, "");
}

TEST(Server, AProgramThatGoesInTheMiddleOfAMessageIsGone) {
  const std::string call = to_card(kBank, std::string(100, 'x'));
  for (const std::size_t length : {std::size_t{0}, std::size_t{1}, kCallHeaderBytes, call.size() - 1}) {
    const Conversation heard = say(call.substr(0, length));
    EXPECT_FALSE(heard.closed);
    EXPECT_EQ(heard.error, "");
  }
}

TEST(Server, SilenceInTheMiddleOfAMessageEndsIt) {
  std::array<int, 2> ends{};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
  ASSERT_EQ(write(ends[0], "\x09", 1), 1);
  Server server(the_card(), {[](const std::string&) {}, {}, {}, {}});
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_THROW(server.serve(ends[1]), Error);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(8));
  close(ends[0]);
  close(ends[1]);
}

std::string write_one(std::uint64_t offset) {
  return frame(Api::WriteKernelControl, message({{2, kControlBase + offset}, {3, 4}, {4, 0, "\1\0\0\0"s, true}}));
}
std::string poll_once() {
  return frame(Api::ReadKernelControl, message({{2, kControlBase}, {3, 4}}));
}

// XRT's scheduler launches with the registers from 0x10 on, then the start, then polls.
TEST(Server, TransfersBetweenTheRegistersOfALaunchAndItsEndAreCounted) {
  const std::string transfer = to_card(kBank, "abcd");
  EXPECT_EQ(say(transfer + write_one(0x10) + write_one(0) + poll_once() + transfer + close_call()).unordered, 0U);
  EXPECT_EQ(say(write_one(0x10) + transfer + write_one(0) + transfer + poll_once() + transfer + close_call()).unordered,
            2U);
}

// XRT's scheduler may have queued a start while the kernel ran; a start written by the program was not queued.
TEST(Server, AStartThatWasQueuedCostsWhatTheTimelineCounts) {
  const config::RunConfig& run = the_card().run();
  const auto cost = [&](const std::string& calls, bool queued, std::int64_t asked) {
    const Picoseconds before = the_card().totals().register_time;
    EXPECT_EQ(say(calls + poll_once() + close_call(), queued).starts, asked);
    return the_card().totals().register_time - before;
  };
  const auto launch = [&](std::int64_t writes, bool queued) {
    return host::launch_time(*run.host, run.schedule.calls, writes, queued);
  };
  EXPECT_EQ(cost(write_one(0x10) + write_one(0), false, 1), launch(2, false));
  EXPECT_EQ(cost(write_one(0x10) + write_one(0), true, 1), launch(2, true));
  EXPECT_EQ(cost(write_one(0), true, 0), launch(1, false));
  EXPECT_LT(launch(2, true), launch(2, false));
}

// Random bytes, random messages in valid frames, and valid calls with one change.
TEST(Server, TenThousandRandomMessagesNeitherEndNorHangIt) {
  std::mt19937_64 random(2);
  const auto number = [&](std::uint64_t below) { return random() % below; };
  const auto noise = [&](std::size_t bytes) {
    std::string text(bytes, '\0');
    for (char& each : text) each = static_cast<char>(random());
    return text;
  };
  constexpr std::array kApis{1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 14, 15, 16, 17, 18, 19, 20, 28, 34, 51, 52};
  const std::vector<std::string> sound{
      to_card(kBank, "abcdefgh"), to_host(kBank, 64), close_call(),
      frame(Api::WriteKernelControl, message({{2, kControlBase + 0x20}, {3, 8}, {4, 0, "abcdefgh", true}})),
      frame(Api::ReadKernelControl, message({{2, kControlBase + 4}, {3, 8}}))};
  int answered = 0, refused = 0, gone = 0;
  for (int i = 0; i < 10'000; ++i) {
    std::string call;
    switch (number(4)) {
      case 0:
        call = noise(number(100));
        break;
      case 1:
        call = frame(static_cast<std::uint32_t>(kApis[number(kApis.size())]), noise(number(40)));
        break;
      case 2: {
        std::vector<Field> fields;
        for (std::uint64_t left = number(7); left > 0; --left) {
          Field field{static_cast<std::uint32_t>(1 + number(8)), random() >> number(64), noise(number(20)),
                      number(2) == 0};
          // Also existing registers and memory.
          if (number(3) == 0) field.value = kControlBase + 4 * (1 + number(40));
          if (number(3) == 0) field.value = static_cast<std::uint64_t>(kBank) + number(1000);
          fields.push_back(field);
        }
        call = frame(static_cast<std::uint32_t>(kApis[number(kApis.size())]), message(fields));
        break;
      }
      default:
        call = sound[number(sound.size())];
        for (std::uint64_t left = 1 + number(3); left > 0; --left)
          call[number(call.size())] = static_cast<char>(random());
    }
    const Conversation heard = say(call);
    answered += heard.answers.empty() ? 0 : 1;
    refused += heard.error.empty() ? 0 : 1;
    gone += heard.error.empty() && !heard.closed ? 1 : 0;
  }
  EXPECT_GT(answered, 500);
  EXPECT_GT(refused, 500);
  EXPECT_GT(gone, 500);
  // The server still works.
  EXPECT_EQ(say(to_card(kBank, "abcd") + to_host(kBank, 4) + close_call()).answers,
            message({{1, 4}}) + message({{1, 4}, {2, 0, "abcd", true}}) + message({{1, 1}}));
}

}  // namespace
}  // namespace weft::xrt
