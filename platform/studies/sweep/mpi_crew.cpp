#include "platform/studies/sweep/mpi_crew.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>

#include "model/core/error.h"

namespace weft::sweep {

namespace {

using nlohmann::json;
constexpr std::chrono::seconds kSign{1};
constexpr int kPollMs = 1;

// [what, ...]: from a rank "hello" identity workers name, "alive", "ready" worker, "done" worker bytes, "died" worker
// text, "bye"; from rank 0 "give" worker point, "alive", "stop" lost (whether a rank died).
std::string message(const json& content) {
  std::string bytes;
  json::to_msgpack(content, bytes);
  return bytes;
}

const char* word(Event::Kind kind) {
  switch (kind) {
    case Event::Kind::Ready:
      return "ready";
    case Event::Kind::Done:
      return "done";
    case Event::Kind::Died:
      break;
  }
  return "died";
}

json binary(const std::string& bytes) {
  return json::binary({bytes.begin(), bytes.end()});
}

}  // namespace

MpiCrew::MpiCrew(MpiTransport& transport, LocalCrew& own, std::string identity, std::chrono::milliseconds silence)
    : transport_(transport),
      own_(own),
      identity_(std::move(identity)),
      silence_(silence),
      ranks_(static_cast<std::size_t>(transport.size())) {}

MpiCrew::~MpiCrew() {
  const bool lost = std::any_of(ranks_.begin(), ranks_.end(), [](const Rank& rank) { return rank.dead; });
  int stopping = 0;
  for (std::size_t rank = 1; rank < ranks_.size(); ++rank) {
    if (ranks_[rank].dead) continue;
    transport_.send(static_cast<int>(rank), message(json::array({"stop", lost})));
    ++stopping;
  }
  if (!lost) return;
  transport_.leave_without_the_others();
  // What was sent may still be on its way, and leaves with this process.
  for (const auto end = Clock::now() + kSign; stopping > 0 && Clock::now() < end;) {
    while (const auto received = transport_.receive()) {
      if (json::from_msgpack(received->bytes).at(0) == "bye") --stopping;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(kPollMs));
  }
}

std::vector<Event> MpiCrew::wait(int milliseconds) {
  const auto end = Clock::now() + std::chrono::milliseconds(milliseconds);
  std::vector<Event> events;
  do {
    for (Event& event : own_.wait(kPollMs)) {
      event.worker = id(0, event.worker);
      events.push_back(std::move(event));
    }
    while (const auto received = transport_.receive()) take(*received, events);
    if (Clock::now() >= next_sign_) {
      next_sign_ = Clock::now() + kSign;
      look_for_dead(events);
      for (std::size_t rank = 1; rank < ranks_.size(); ++rank) {
        if (!ranks_[rank].dead) transport_.send(static_cast<int>(rank), message(json::array({"alive"})));
      }
    }
  } while (events.empty() && Clock::now() < end);
  return events;
}

void MpiCrew::take(const MpiTransport::Message& received, std::vector<Event>& events) {
  Rank& rank = ranks_.at(static_cast<std::size_t>(received.from));
  if (rank.dead) return;  // given up: what it did is being done again
  rank.heard = Clock::now();
  const json content = json::from_msgpack(received.bytes);
  const auto what = content.at(0).get<std::string>();
  if (what == "alive") return;
  if (what == "hello") {
    rank.workers = content.at(2).get<int>();
    rank.name = content.at(3).get<std::string>();
    if (content.at(1).get<std::string>() == identity_) return;
    throw Error(fmt::format("rank {} ({}) reads another configuration or is another version of weft than rank 0",
                            received.from, rank.name));
  }
  const int worker = id(received.from, content.at(1).get<int>());
  const auto& bytes = content.at(2).get_binary();
  Event event{Event::Kind::Ready, worker, {bytes.begin(), bytes.end()}};
  if (what == "done") event.kind = Event::Kind::Done;
  if (what == "died") event.kind = Event::Kind::Died;
  events.push_back(std::move(event));
}

void MpiCrew::look_for_dead(std::vector<Event>& events) {
  for (std::size_t i = 1; i < ranks_.size(); ++i) {
    Rank& rank = ranks_[i];
    if (rank.dead || Clock::now() - rank.heard < silence_) continue;
    rank.dead = true;
    const double seconds = std::chrono::duration<double>(silence_).count();
    for (int worker = 0; worker < rank.workers; ++worker) {
      events.push_back({Event::Kind::Died, id(static_cast<int>(i), worker),
                        fmt::format("rank {} ({}) gave no sign for {:.0f} s", i, rank.name, seconds)});
    }
  }
}

void MpiCrew::give(int worker, std::int64_t point) {
  const int rank = worker % transport_.size();
  const int own = worker / transport_.size();
  if (rank == 0) return own_.give(own, point);
  transport_.send(rank, message(json::array({"give", own, point})));
}

int MpiCrew::alive() const {
  int count = own_.alive();
  for (std::size_t rank = 1; rank < ranks_.size(); ++rank) count += ranks_[rank].dead ? 0 : 1;
  return count;
}

std::string MpiCrew::name(int worker) const {
  const auto rank = static_cast<std::size_t>(worker % transport_.size());
  if (rank == 0) return "rank 0, " + own_.name(worker / transport_.size());
  return fmt::format("rank {}, {}", rank, ranks_[rank].name);
}

void serve_rank(MpiTransport& transport, LocalCrew& own, const std::string& identity,
                std::chrono::milliseconds silence) {
  using Clock = std::chrono::steady_clock;
  transport.send(0, message(json::array({"hello", identity, own.alive(), own.name(0)})));
  auto heard = Clock::now(), next_sign = heard;
  for (;;) {
    while (const auto received = transport.receive()) {
      heard = Clock::now();
      const json content = json::from_msgpack(received->bytes);
      const auto what = content.at(0).get<std::string>();
      if (what == "stop") {
        if (!content.at(1).get<bool>()) return;
        transport.leave_without_the_others();
        transport.send(0, message(json::array({"bye"})));
        return;
      }
      if (what == "give") own.give(content.at(1).get<int>(), content.at(2).get<std::int64_t>());
    }
    for (const Event& event : own.wait(kPollMs)) {
      transport.send(0, message(json::array({word(event.kind), event.worker, binary(event.bytes)})));
    }
    if (Clock::now() - heard > silence) {
      transport.leave_without_the_others();
      throw Error("rank 0 is gone; what it had recorded is safe");
    }
    if (Clock::now() < next_sign) continue;
    next_sign = Clock::now() + kSign;
    transport.send(0, message(json::array({"alive"})));
  }
}

}  // namespace weft::sweep
