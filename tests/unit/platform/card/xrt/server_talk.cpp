// server_talk: holds conversations with a server of a card, for tests/integration/card/server_test.py. Reads records: a
// byte of flags, the length in 4 bytes, and the calls of one shim. Prints a line of JSON for each.
#include <fmt/core.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <thread>

#include "model/core/error.h"
#include "platform/card/xrt/server.h"
#include "platform/catalogue/designs.h"

namespace weft::xrt {
namespace {

enum Flag : unsigned char {
  kQueued = 1,
  kSilent = 2
};  // XRT's starts count as queued; the shim stays and says nothing

std::string hexadecimal(const std::string& bytes) {
  std::string text;
  for (const char each : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(each));
  return text;
}

void talk(card::Card& card, unsigned flags, const std::string& calls) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0) throw Error("no socket");
  int warnings = 0, starts = 0;
  Server::Notes notes;
  notes.warn = [&](const std::string&) { ++warnings; };
  notes.queued = [&] { return ++starts, (flags & kQueued) != 0; };
  Server server(card, std::move(notes));
  std::thread speaker([&] {
    for (std::size_t sent = 0; sent < calls.size();) {
      const ssize_t wrote = send(ends[0], calls.data() + sent, calls.size() - sent, MSG_NOSIGNAL);
      if (wrote <= 0) break;
      sent += static_cast<std::size_t>(wrote);
    }
    if ((flags & kSilent) == 0) shutdown(ends[0], SHUT_WR);
  });
  std::string answers, error;
  std::thread listener([&] {
    std::array<char, 65536> block{};
    for (ssize_t got = 0; (got = read(ends[0], block.data(), block.size())) > 0;) {
      answers.append(block.data(), static_cast<std::size_t>(got));
    }
  });
  bool closed = false;
  try {
    closed = server.serve(ends[1]);
  } catch (const Error& refused) {
    error = refused.what();
  }
  close(ends[1]);
  speaker.join();
  listener.join();
  close(ends[0]);
  fmt::print(R"({{"closed": {}, "error": "{}", "warnings": {}, "answers": "{}", "unordered": {}, "starts": {}, )"
             "\"now\": {}, \"register_time\": {}}}\n",
             closed, hexadecimal(error), warnings, hexadecimal(answers), server.unordered_calls(), starts, card.now(),
             card.totals().register_time);
}

int listen() {
  card::CardSettings settings;
  settings.run = design::load_run(WEFT_SOURCE_DIR "/tests/hosts/card.yaml", {}, config::Library{WEFT_CONFIG_DIR});
  card::Card card("card", settings);
  card.load(config::to_yaml(card.run().kernel->write()));
  std::array<unsigned char, 5> head{};
  while (std::fread(head.data(), 1, head.size(), stdin) == head.size()) {
    std::string calls(head[1] | head[2] << 8 | head[3] << 16 | head[4] << 24, '\0');
    if (std::fread(calls.data(), 1, calls.size(), stdin) != calls.size()) return 1;
    talk(card, head[0], calls);
  }
  return 0;
}

}  // namespace
}  // namespace weft::xrt

int main() try { return weft::xrt::listen(); } catch (const std::exception& error) {
  std::fprintf(stderr, "server_talk: %s\n", error.what());
  return 1;
}
