#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/iteration/host/matrices.h"
#include "platform/iteration/host/profile.h"
#include "platform/record/record.h"

namespace weft::host {

// One operator: measured, and by the base's roofline.
struct OperatorResult {
  std::string op, direction, kind;
  std::int64_t operations = 0, bytes = 0, ns = 0;
  double roofline_ns = 0;
  std::string kernel;
  bool plain_loop = false;
};
void fields(record::Visitor& io, OperatorResult& op);

// Result of `weft host-profile`. `base`: host whose rooflines are printed for comparison.
struct ProfileResult {
  std::string network;
  int batch = 0, threads = 0;
  std::string cpu, base;
  std::vector<OperatorResult> operators;
  std::optional<ProfiledMatrices> matrices;
  ProfiledQuantiser quantiser;
};
void fields(record::Visitor& io, ProfileResult& result);

std::vector<OperatorResult> results_of(const workloads::Graph& graph, const std::vector<ProfiledOperator>& profiled,
                                       const config::Host& base);

}  // namespace weft::host
