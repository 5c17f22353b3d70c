#include "tools/bench/card.h"

#include <algorithm>
#include <memory>
#include <random>
#include <string>

#include "platform/card/card.h"
#include "platform/catalogue/designs.h"
#include "platform/catalogue/load.h"
#include "platform/config/node.h"
#include "platform/iteration/training/run_network.h"
#include "platform/run/simulate.h"
#include "tools/bench/rate.h"
#include "tools/cli/cli.h"

namespace weft::tools {

namespace {

// Software that computes nothing itself.
class Iterations {
 public:
  Iterations(const config::RunConfig& run, const workloads::Network& network, design::Execution execution)
      : design_(design::design_of(run)),
        work_(design_.plan(run, network)),
        rows_(work_->rows()),
        units_(work_->units()),
        card_("card", {run, execution, 0}) {
    for (std::size_t unit = 0; unit < units_.size(); ++unit) {
      for (const design::UnitTensor& tensor : work_->tensors(unit)) {
        buffer_.resize(std::max(buffer_.size(), static_cast<std::size_t>(tensor.bytes / 4)));
      }
    }
    std::mt19937 random(1);
    std::uniform_real_distribution<float> value(-1, 1);
    for (float& word : buffer_) word = value(random);
  }

  void run() {
    for (std::size_t unit = 0; unit < units_.size(); ++unit) {
      const design::Row& row = rows_[units_[unit].row];
      if (row.bitstream != loaded_) {
        card_.load(config::to_yaml(design_.card_kernel_of(card_.run(), row)->write()));
        loaded_ = row.bitstream;
      }
      for (const design::UnitTensor& tensor : work_->tensors(unit)) {
        if (!tensor.written) card_.write(place(tensor), buffer_.data(), tensor.bytes);
      }
      for (const design::RegisterWrite& write :
           design::offered<design::StartedByRegisters>(*work_).register_writes(unit, card_.memory())) {
        card_.write_register(write.offset, write.data);
      }
      card_.advance(std::max<Picoseconds>(card_.busy_until() - card_.now(), 0));
      for (const design::UnitTensor& tensor : work_->tensors(unit)) {
        if (!tensor.written) continue;
        result_.resize(static_cast<std::size_t>(tensor.bytes / 4));
        card_.read(place(tensor), result_.data(), tensor.bytes);
      }
    }
  }

 private:
  Address place(const design::UnitTensor& tensor) const { return card_.memory().address(tensor.channel); }

  const design::Design& design_;
  std::unique_ptr<design::Work> work_;
  std::vector<design::Row> rows_;
  std::vector<design::Work::Unit> units_;
  card::Card card_;
  std::vector<std::int64_t> loaded_;
  std::vector<float> buffer_, result_;
};

}  // namespace

CardCost card_cost(design::Execution execution, int batch, int later, const std::vector<config::Override>& extra) {
  std::vector<config::Override> overrides{{"batch", std::to_string(batch), "bench"},
                                          {"kernel.variant", "both", "bench"}};
  for (const char* size : {"z", "z_channel", "k_range", "kern_words", "out_words"}) {
    overrides.push_back({std::string("kernel.") + size, "shared", "bench"});
  }
  overrides.insert(overrides.end(), extra.begin(), extra.end());
  const config::RunConfig run = design::load_run("resnet20-u250", overrides, project_library());
  const workloads::Network network = training::load_network(run, project_library());
  const auto iterations = [&](int count) {
    return median_cost([&] {
      Iterations software(run, network, execution);
      for (int i = 0; i < count; ++i) software.run();
    });
  };
  CardCost cost;
  for (const design::Row& row : run::simulate(run, network, {}).rows) cost.cycles += row.cycles;
  const Cost once = iterations(1);
  cost.first = once.processor_seconds;
  cost.peak_bytes = once.peak_bytes;
  if (later > 0) cost.later = (iterations(1 + later).processor_seconds - cost.first) / later;
  return cost;
}

}  // namespace weft::tools
