#include <gtest/gtest.h>

#include "platform/catalogue/designs.h"
#include "tests/unit/platform/card/cards.h"
#include "workloads/network.h"

namespace weft {
namespace {

// Register writes of a unit, from the work of a run, launch that unit: on the run's kernel and memory it takes the
// run's cycles, from the start to done, and uses the banks of its tensors.
TEST(RegisterWrites, OfAUnitLaunchItOnTheCard) {
  std::size_t launches = 0;
  for (const char* batch : {"1", "3"}) {
    const config::RunConfig run = test::card_run({{"batch", batch, "test"}, {"rung", "exact", "test"}});
    workloads::Network network;
    conv::Layer layer{"grouped", std::stoi(batch), 4, 6, 2, {9, 3, 2, 1, 1, 1}, {7, 3, 1, 1, 0, 1}};
    network.layers.push_back(layer);
    const design::Design& design = design::design_of(run);
    const std::unique_ptr<design::Work> work = design.plan(run, network);
    const std::vector<design::Row> rows = work->rows();
    const std::vector<design::Work::Unit> units = work->units();
    const std::unique_ptr<design::CardKernels> kernels = design.card_kernels({design::Execution::Fast, 0});
    constexpr Bytes kBank = 1 << 20;
    const design::AddressMap map(4, kBank);
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
      SCOPED_TRACE("unit " + std::to_string(unit));
      config::RunConfig loaded = run;
      loaded.kernel = design.card_kernel_of(run, rows[units[unit].row]);
      const std::unique_ptr<design::CardKernel> kernel = kernels->load(loaded, map);
      std::vector<memory::Store> banks(static_cast<std::size_t>(map.banks()));
      for (memory::Store& bank : banks) bank = memory::Store(kBank);
      const std::vector<design::RegisterWrite> writes =
          design::offered<design::StartedByRegisters>(*work).register_writes(unit, map);
      const design::Launch known = work->launch(unit);
      ASSERT_EQ(static_cast<std::int64_t>(writes.size()), known.register_writes);
      for (std::size_t i = 0; i < writes.size(); ++i) {
        EXPECT_EQ(kernel->write(writes[i].offset, writes[i].data, 0xF, kNever), i + 1 == writes.size());
      }
      const design::CardLaunch launch = kernel->launch(banks);
      const design::UnitResult result = work->simulate(unit, 1, {});
      EXPECT_FALSE(launch.refused);
      EXPECT_EQ(launch.cycles, result.cycles);
      EXPECT_EQ(launch.busy, known.to_start + result.cycles + result.drain_cycles + known.to_done);
      std::vector<int> channels;
      for (const design::UnitTensor& tensor : work->tensors(unit)) channels.push_back(tensor.channel);
      EXPECT_EQ(launch.banks, channels);
      ++launches;
    }
  }
  EXPECT_EQ(launches, 2 * 2 * 3U);  // two batches, two groups, three kinds
}

}  // namespace
}  // namespace weft
