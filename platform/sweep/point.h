#pragma once

#include <map>
#include <string>
#include <tuple>

#include "platform/sweep/definition.h"
#include "platform/sweep/store.h"

namespace weft::sweep {

// Runs points one after the other and keeps the networks that it has read.
class PointRunner {
 public:
  PointRunner(const Definition& definition, NetworkLoader load) : definition_(&definition), load_(std::move(load)) {}

  // Throws Error if the values of a point make no run, or its network cannot be loaded.
  void check(std::int64_t point) { network(definition_->run(point)); }
  // Never throws for what is wrong with the point: that is its outcome.
  Outcome run(std::int64_t point);

 private:
  const workloads::Network& network(const config::RunConfig& run);

  const Definition* definition_;
  NetworkLoader load_;
  std::map<std::tuple<std::string, int, bool>, workloads::Network> networks_;
};

// An outcome as bytes between processes.
std::string encode(const Outcome& outcome);
Outcome decode(const std::string& bytes);

}  // namespace weft::sweep
