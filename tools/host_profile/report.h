#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platform/config/host.h"
#include "platform/document/report.h"
#include "platform/iteration/host/matrices.h"
#include "platform/iteration/host/quantiser_profile.h"

namespace weft::tools {

// What was published of a host beside what its prices give; "" if nothing was. Reads the networks of the project.
std::string published_table(const config::Host& host);

// What was measured of a network's operators, beside their rooflines on `base`, and of the matrices of its
// convolutions.
report::Report profile_report(const workloads::Graph& graph, const std::vector<host::ProfiledOperator>& profiled,
                              const std::optional<host::ProfiledMatrices>& matrices,
                              const host::ProfiledQuantiser& quantiser, const config::Host& base, int threads,
                              const std::string& cpu);

}  // namespace weft::tools
