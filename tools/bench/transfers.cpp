#include "tools/bench/transfers.h"

#include <algorithm>
#include <vector>

#include "platform/card/card.h"
#include "platform/catalogue/load.h"
#include "tools/bench/rate.h"
#include "tools/cli/cli.h"

namespace weft::tools {

Cost transfer_cost(link::Direction direction, Bytes bytes) {
  const config::RunConfig run = design::load_run("resnet20-u250", {}, project_library());
  const auto move = [&](Bytes all) {
    return median_cost([&] {
      card::Card card("card", {run, design::Execution::Fast, 0});
      std::vector<unsigned char> block(static_cast<std::size_t>(card::HostLink::kMessage), 1);
      for (Bytes done = 0; done < all; done += card::HostLink::kMessage) {
        const Address address = card.memory().address(0, done);
        if (direction == link::Direction::HostToCard) {
          card.write(address, block.data(), card::HostLink::kMessage);
        } else {
          card.read(address, block.data(), card::HostLink::kMessage);
        }
      }
    });
  };
  // Without the card's own start.
  Cost cost = move(bytes);
  cost.processor_seconds -= move(0).processor_seconds;
  return cost;
}

}  // namespace weft::tools
