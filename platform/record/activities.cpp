#include "platform/record/activities.h"

#include <array>
#include <cstddef>

void weft::fields(record::Visitor& io, Activities& activities) {
  constexpr std::array<const char*, kActivities> kMeanings{"cycles in which the block moves a token or advances work",
                                                           "other cycles in which an output that it needs is full",
                                                           "other cycles in which an input that it needs is empty",
                                                           "other cycles"};
  for (std::size_t i = 0; i < kActivities; ++i) {
    io(kActivityNames.at(i), "cycles", kMeanings.at(i), activities.cycles.at(i));
  }
}
