#include "platform/studies/sweep/workers/mpi_workers.h"

#include <dlfcn.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <thread>

#include "model/core/error.h"
#include "platform/os/data_root.h"
#include "platform/record/bytes.h"

namespace weft::sweep {

namespace {

namespace fs = std::filesystem;

constexpr const char* kRank = "OMPI_COMM_WORLD_RANK";
constexpr std::chrono::seconds kSign{1};
constexpr int kPollMs = 1;
constexpr std::array<const char*, 3> kEvents{"ready", "done", "died"};  // indexed by Event::Kind

void send(MpiTransport& transport, int to, const RankMessage& message) {
  transport.send(to, record::to_bytes(message));
}
RankMessage read(const MpiTransport::Message& received) {
  return record::from_bytes<RankMessage>(received.bytes);
}

}  // namespace

bool under_mpirun() {
  return std::getenv(kRank) != nullptr;
}

int mpirun_rank() {
  const char* const rank = std::getenv(kRank);
  return rank ? std::atoi(rank) : 0;
}

int mpirun_local_ranks() {
  const char* const ranks = std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
  return ranks ? std::max(1, std::atoi(ranks)) : 1;
}

std::unique_ptr<MpiTransport> load_mpi_transport() {
  std::error_code code;
  const fs::path library = fs::read_symlink("/proc/self/exe", code).parent_path() / "libweft_mpi.so";
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL);  // Open MPI's own plugins need its symbols
  if (!handle) {
    if (os::is_installed()) {
      os::require_checkout(os::data_root(), "platform/studies/sweep/workers/mpi_transport.cpp", "a sweep under mpirun");
    }
    throw Error(
        fmt::format("mpirun started this process, but weft was built without MPI ({}): install libboost-mpi-dev and "
                    "openmpi-bin (./weft test does), then touch CMakeLists.txt and start ./weft once to build again",
                    dlerror()));
  }
  using Make = MpiTransport* (*)();
  const auto make = reinterpret_cast<Make>(dlsym(handle, "weft_mpi_transport"));
  if (!make) throw Error(fmt::format("'{}' is not weft's: {}", library.string(), dlerror()));
  return std::unique_ptr<MpiTransport>(make());
}

void fields(record::Visitor& io, RankMessage& x) {
  io("what", "kind of message", x.what);
  io("worker", "1", "worker of the rank, or how many it has", x.worker);
  io("point", "1", "point, or task, to run", x.point);
  io("text", "identity, outcome or how a worker ended", x.text);
  io("name", "name of the rank", x.name);
  io("lost", "whether a rank died", x.lost);
}

MpiWorkers::MpiWorkers(MpiTransport& transport, LocalWorkers& own, std::string identity,
                       std::chrono::milliseconds silence)
    : transport_(transport),
      own_(own),
      identity_(std::move(identity)),
      silence_(silence),
      ranks_(static_cast<std::size_t>(transport.size())) {}

MpiWorkers::~MpiWorkers() {
  const bool lost = std::any_of(ranks_.begin(), ranks_.end(), [](const Rank& rank) { return rank.dead; });
  int stopping = 0;
  for (std::size_t rank = 1; rank < ranks_.size(); ++rank) {
    if (ranks_[rank].dead) continue;
    send(transport_, static_cast<int>(rank), {"stop", 0, 0, "", "", lost});
    ++stopping;
  }
  if (!lost) return;
  transport_.leave_without_the_others();
  // Waits for "bye": messages still in transit are lost when this process ends.
  for (const auto end = Clock::now() + kSign; stopping > 0 && Clock::now() < end;) {
    while (const auto received = transport_.receive()) {
      if (read(*received).what == "bye") --stopping;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(kPollMs));
  }
}

std::vector<Event> MpiWorkers::wait(int milliseconds) {
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
        if (!ranks_[rank].dead) send(transport_, static_cast<int>(rank), {"alive"});
      }
    }
  } while (events.empty() && Clock::now() < end);
  return events;
}

void MpiWorkers::take(const MpiTransport::Message& received, std::vector<Event>& events) {
  Rank& rank = ranks_.at(static_cast<std::size_t>(received.from));
  if (rank.dead) return;  // declared dead: its points are run again
  rank.heard = Clock::now();
  RankMessage message = read(received);
  if (message.what == "alive") return;
  if (message.what == "hello") {
    rank.workers = message.worker;
    rank.name = message.name;
    if (message.text == identity_) return;
    throw Error(fmt::format("rank {} ({}) has another configuration or another version of weft than rank 0",
                            received.from, rank.name));
  }
  const auto kind = std::find(kEvents.begin(), kEvents.end(), message.what) - kEvents.begin();
  events.push_back({static_cast<Event::Kind>(kind), id(received.from, message.worker), std::move(message.text)});
}

void MpiWorkers::look_for_dead(std::vector<Event>& events) {
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

void MpiWorkers::give(int worker, std::int64_t point) {
  const int rank = worker % transport_.size();
  const int own = worker / transport_.size();
  if (rank == 0) return own_.give(own, point);
  send(transport_, rank, {"give", own, point});
}

int MpiWorkers::alive() const {
  int count = own_.alive();
  for (std::size_t rank = 1; rank < ranks_.size(); ++rank) count += ranks_[rank].dead ? 0 : 1;
  return count;
}

std::string MpiWorkers::name(int worker) const {
  const auto rank = static_cast<std::size_t>(worker % transport_.size());
  if (rank == 0) return "rank 0, " + own_.name(worker / transport_.size());
  return fmt::format("rank {}, {}", rank, ranks_[rank].name);
}

void serve_rank(MpiTransport& transport, LocalWorkers& own, const std::string& identity,
                std::chrono::milliseconds silence) {
  using Clock = std::chrono::steady_clock;
  send(transport, 0, {"hello", own.alive(), 0, identity, own.name(0)});
  auto heard = Clock::now(), next_sign = heard;
  for (;;) {
    while (const auto received = transport.receive()) {
      heard = Clock::now();
      const RankMessage message = read(*received);
      if (message.what == "stop") {
        if (!message.lost) return;
        transport.leave_without_the_others();
        send(transport, 0, {"bye"});
        return;
      }
      if (message.what == "give") own.give(message.worker, message.point);
    }
    for (const Event& event : own.wait(kPollMs)) {
      send(transport, 0, {kEvents.at(static_cast<std::size_t>(event.kind)), event.worker, 0, event.bytes});
    }
    if (Clock::now() - heard > silence) {
      transport.leave_without_the_others();
      throw Error("rank 0 is gone; what it had recorded is safe");
    }
    if (Clock::now() < next_sign) continue;
    next_sign = Clock::now() + kSign;
    send(transport, 0, {"alive"});
  }
}

}  // namespace weft::sweep
