#pragma once

#include <vector>

#include "platform/run/columns.h"
#include "platform/studies/cluster/figures.h"

namespace weft::sweep {

const std::vector<run::Column<cluster::Figures>>& cluster_columns();

}  // namespace weft::sweep
