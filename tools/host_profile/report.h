#pragma once

#include <string>

#include "platform/config/host.h"
#include "platform/document/table_view.h"
#include "platform/iteration/host/profile_result.h"

namespace weft::tools {

// Published rates of a host next to the rates from its prices; "" if none are published. Reads the project's networks.
std::string published_table(const config::Host& host);

// `base`: host with the rooflines.
report::Report profile_report(const host::ProfileResult& result, const config::Host& base);

}  // namespace weft::tools
