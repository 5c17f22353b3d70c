#pragma once

#include <string>

#include "platform/config/host.h"
#include "platform/document/table_view.h"
#include "platform/iteration/host/profile_result.h"

namespace weft::tools {

// What was published of a host beside what its prices give; "" if nothing was. Reads the networks of the project.
std::string published_table(const config::Host& host);

// `base`: the host of the rooflines.
report::Report profile_report(const host::ProfileResult& result, const config::Host& base);

}  // namespace weft::tools
