#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "platform/design/design.h"
#include "workloads/network.h"

namespace weft::run {

// What is kept of a run that was interrupted, so that another start need not simulate it again.
struct Checkpoint {
  std::string work;                                        // digest_of() what was simulated
  std::map<std::size_t, std::vector<std::int64_t>> units;  // result of each unit that was done, as unit_words.h has it
};

// Tells apart what runs of one configuration and one version of the code may differ in: the layers of their network,
// which a file of its own says.
std::string digest_of(const workloads::Network& network, const design::Work& work);

}  // namespace weft::run
