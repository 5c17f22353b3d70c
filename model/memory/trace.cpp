#include "model/memory/trace.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <random>
#include <string_view>

#include "model/core/error.h"
#include "model/memory/channel_controller.h"

namespace weft::memory {

namespace {

TraceRequest parse_line(const std::string& path, int number, std::string_view line, Bytes capacity) {
  const std::size_t gap = line.find(' ');
  const std::string_view operation = line.substr(0, gap);
  if (operation != "R" && operation != "W") {
    throw InputError(path, number, "",
                     fmt::format("the operation is '{}'; a line is 'R 0xADDRESS' or 'W 0xADDRESS'.", operation));
  }
  std::string_view digits = gap == std::string_view::npos ? std::string_view() : line.substr(gap + 1);
  const std::string_view text = digits;
  if (digits.substr(0, 2) == "0x" || digits.substr(0, 2) == "0X") digits.remove_prefix(2);
  Address address = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), address, 16);
  if (digits.size() == text.size() || error != std::errc() || end != digits.data() + digits.size() || address < 0) {
    throw InputError(path, number, "", fmt::format("the address is '{}', not a hexadecimal number like 0x1f40.", text));
  }
  if (address % kAccessBytes != 0) {
    throw InputError(path, number, "", fmt::format("the address {} is not a multiple of 64 bytes.", text));
  }
  if (address >= capacity) {
    throw InputError(path, number, "",
                     fmt::format("the address {} must be below {:#x}, the channel's end.", text, capacity));
  }
  return {address, operation == "W"};
}

// Returns the smallest latency that at least `share` of the samples do not exceed.
Nck percentile(const std::vector<std::int64_t>& samples_by_latency, std::int64_t samples, double share) {
  const auto rank = static_cast<std::int64_t>(std::ceil(share * static_cast<double>(samples)));
  std::int64_t seen = 0;
  for (std::size_t latency = 0; latency < samples_by_latency.size(); ++latency) {
    seen += samples_by_latency[latency];
    if (seen >= rank) return static_cast<Nck>(latency);
  }
  return 0;
}

// State of a run: the edge at which each request was accepted, and the counts of served requests.
class Run {
 public:
  Run(std::size_t requests) : accepted_(requests) {}

  void accept(std::size_t request, Nck edge) { accepted_[request] = edge; }

  void collect(ChannelController& controller) {
    for (const Served& served : controller.served()) {
      last_data_ = std::max(last_data_, served.data_end);
      hits_ += served.outcome == RowOutcome::hit ? 1 : 0;
      if (served.write) continue;
      const auto latency = static_cast<std::size_t>(served.data_end - accepted_[served.tag]);
      if (latency >= by_latency_.size()) by_latency_.resize(latency * 2);
      ++by_latency_[latency];
      latency_sum_ += static_cast<std::int64_t>(latency);
      ++reads_;
    }
    controller.clear_served();
  }

  TraceResult result(const Ddr4Config& config) const {
    TraceResult result;
    result.requests = static_cast<std::int64_t>(accepted_.size());
    result.reads = reads_;
    result.writes = result.requests - reads_;
    if (result.requests == 0) return result;
    result.dram_cycles = last_data_;
    // bytes / (nCK / (data_rate / 2 * 1e6)) / 1e9
    result.gbps = static_cast<double>(result.requests * kAccessBytes) * mhz(config.data_rate_mtps) /
                  (2e3 * static_cast<double>(last_data_));
    result.row_hit_rate = static_cast<double>(hits_) / static_cast<double>(result.requests);
    if (reads_ == 0) return result;
    result.read_latency_mean = static_cast<double>(latency_sum_) / static_cast<double>(reads_);
    result.read_latency_p50 = percentile(by_latency_, reads_, 0.50);
    result.read_latency_p95 = percentile(by_latency_, reads_, 0.95);
    result.read_latency_p99 = percentile(by_latency_, reads_, 0.99);
    return result;
  }

 private:
  std::vector<Nck> accepted_;
  std::vector<std::int64_t> by_latency_ = std::vector<std::int64_t>(1024);
  std::int64_t latency_sum_ = 0;
  std::int64_t reads_ = 0;
  std::int64_t hits_ = 0;
  Nck last_data_ = 0;
};

}  // namespace

Trace read_trace(const std::string& path, const Ddr4Config& config) {
  std::ifstream file(path);
  if (!file) throw InputError(path, 0, "", "the trace cannot be opened for reading.");
  Trace trace;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    trace.push_back(parse_line(path, number, line, config.capacity));
  }
  if (file.bad()) throw InputError(path, 0, "", "the trace cannot be read to its end.");
  if (trace.empty()) throw InputError(path, 0, "", "the trace has no requests; give lines such as 'R 0x1f40'.");
  return trace;
}

TraceResult run_trace(const Trace& trace, const Ddr4Config& config) {
  ChannelController controller(config);
  Run run(trace.size());
  for (std::size_t next = 0; next < trace.size();) {
    const auto& [address, write] = trace[next];
    if (controller.has_room(address, write)) {
      controller.accept(address, write, static_cast<std::uint32_t>(next));
      run.accept(next, controller.now());
      ++next;
      controller.advance_to(controller.now() + controller.clock());
    } else {
      controller.advance_until_room(write ? nullptr : &address, write ? &address : nullptr, kNever);
    }
    run.collect(controller);
  }
  while (!controller.idle()) {
    controller.advance_to(controller.next_action() + 1);
    run.collect(controller);
  }
  return run.result(config);
}

Trace sequential_reads(std::size_t count) {
  const Bytes capacity = Ddr4Config().capacity;
  Trace trace(count);
  for (std::size_t i = 0; i < count; ++i) trace[i] = {static_cast<Address>(i) * kAccessBytes % capacity, false};
  return trace;
}

Trace random_accesses(std::size_t count, double write_share, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::uint64_t lines = static_cast<std::uint64_t>(Ddr4Config().capacity / kAccessBytes);
  std::bernoulli_distribution write(write_share);
  Trace trace(count);
  for (TraceRequest& request : trace) {
    request = {static_cast<Address>(random() % lines) * kAccessBytes, write(random)};
  }
  return trace;
}

}  // namespace weft::memory
