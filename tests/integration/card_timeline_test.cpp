
#include "model/fpgpt/placement.h"
#include "model/fpgpt/registers.h"
#include "platform/catalogue/designs.h"
#include "platform/designs/fpgpt/design.h"
#include "platform/designs/fpgpt/work.h"
#include "platform/iteration/timeline/iteration.h"
#include "platform/iteration/training/trained_network.h"
#include "platform/run/simulate.h"
#include "tests/support/files.h"
#include "tests/support/grouped_network.h"
#include "tests/unit/platform/card/cards.h"

// A host whose actions on the card are those that a timeline assumes.
namespace weft {
namespace {

using config::Override;
using timeline::Step;
using timeline::StepKind;

// A network at batch 1, with the cycles of its convolutions in a run for this card.
struct Network {
  explicit Network(const std::string& name) : trained(load(name, run)) {}

  config::RunConfig run = test::card_run({{"batch", "1", "test"}, {"rung", "exact", "test"}, {"workers", "1", "test"}});
  training::TrainedNetwork trained;
  std::vector<design::Row> rows = run::simulate(run, trained.network, {}).rows;
  std::vector<fpgpt::RowWork> works = fpgpt::plan_rows(run, trained.network, fpgpt::readings_of(run));

  static training::TrainedNetwork load(const std::string& name, const config::RunConfig& run) {
    workloads::ImportOptions options;
    options.batch = run.batch;
    return training::load_trained(name, {WEFT_CONFIG_DIR "/networks"}, options);
  }
};
const Network& resnet20() {
  static const Network network("resnet20");
  return network;
}
// Convolutions of two groups, depthwise, and of one group: tests/support/grouped_network.h.
const Network& grouped() {
  static const test::TemporaryDirectory folder;
  static const Network network(test::write_grouped_network(folder.path()).string());
  return network;
}

// A program that executes a timeline without overlap, step by step.
class Host {
 public:
  Host(card::Card& card, const Network& network, const timeline::TrainingIteration& iteration,
       const timeline::Jobs& jobs)
      : card_(card), network_(network), graph_(iteration.graph()), jobs_(jobs) {}

  // Prepares an iteration that follows an equal one: its last kernel is loaded.
  void begin(const timeline::Timeline& timeline) {
    std::optional<std::size_t> last;
    for (const Step& step : timeline.steps) {
      if (step.activity == StepKind::Kernel) last = step.op;
    }
    card_.load(bitstream(*last));
    origin_ = card_.now();
  }

  void walk(const timeline::Timeline& timeline) {
    for (const Step& step : timeline.steps) {
      SCOPED_TRACE(std::string(to_string(step.activity)) + " of " + workloads::label(graph_.operators[step.op]) + " " +
                   step.what);
      switch (step.activity) {
        case StepKind::HostOperator:
        case StepKind::Im2col:
        case StepKind::Tiling:
        case StepKind::Untiling:
        case StepKind::Quantise:
        case StepKind::Dequantise:
          card_.advance(step.duration());
          break;
        case StepKind::Call:
          if (step.what != "launch") continue;  // part of the transfer that follows
          launch(step.op);
          break;
        case StepKind::ToCard:
        case StepKind::ToHost:
          transfer(step);
          break;
        case StepKind::Reconfiguration:
          card_.load(bitstream(step.op));
          break;
        case StepKind::Precompute:
          continue;  // done by the kernel
        case StepKind::Kernel:
          test::wait(card_);
          break;
      }
      ASSERT_EQ(card_.now() - origin_, step.end);
    }
  }

 private:
  const timeline::Job& job(workloads::OperatorId op) const { return *jobs_.of.at(op); }
  std::string bitstream(workloads::OperatorId op) const {
    const design::Design& design = *design::designs().front();
    return config::to_yaml(design.card_kernel_of(network_.run, network_.rows.at(job(op).row))->write());
  }

  // Returns the address of a tensor: each has its own place in a channel, at a row of the address map, so that
  // convolutions take the cycles that they take at the channel's beginning.
  Address place(const timeline::CardTensor& tensor) {
    constexpr Bytes kRow = Bytes{1} << 17;
    constexpr Bytes kGuard = Bytes{1} << 20;  // read to be discarded
    const auto [at, added] = places_.try_emplace({tensor.tensor, tensor.channel}, ends_[tensor.channel]);
    if (added) ends_[tensor.channel] += align_up(tensor.bytes + kGuard, kRow);
    return card_.memory().address(tensor.channel, at->second);
  }

  void launch(workloads::OperatorId op) {
    const timeline::Job& job = this->job(op);
    const fpgpt::RowWork& work = network_.works.at(job.row);
    const bool queued = next_group_[op] > 0;  // groups after the first are queued while the kernel runs
    conv::Convolution beta = work.launches.at(next_group_[op]++);
    beta.inp.base += place(job.inputs.at(0));
    beta.kern.base += place(job.inputs.at(1));
    beta.out.base += place(job.outputs.at(0));
    test::write_beta(card_, fpgpt::as_registers_hold(beta, work.alpha.format));
    card_.write_register(fpgpt::kCtrl, fpgpt::kCtrlStart, queued);
  }

  // Transfers in messages, like XRT's shim.
  void transfer(const Step& step) {
    const timeline::Job& job = this->job(step.op);
    const bool to_card = step.activity == StepKind::ToCard;
    const std::vector<timeline::CardTensor>& tensors = to_card ? job.inputs : job.outputs;
    const auto tensor = std::find_if(tensors.begin(), tensors.end(), [&](const timeline::CardTensor& each) {
      return graph_.tensors[each.tensor].name == step.what;
    });
    ASSERT_NE(tensor, tensors.end());
    ASSERT_EQ(tensor->bytes, step.bytes);
    const Address address = place(*tensor);
    std::vector<unsigned char> data(static_cast<std::size_t>(step.bytes), 0x3d);
    for (Bytes done = 0; done < step.bytes; done += card::HostLink::kMessage) {
      const Bytes part = std::min(step.bytes - done, card::HostLink::kMessage);
      if (to_card) {
        card_.write(address + done, data.data() + done, part);
      } else {
        card_.read(address + done, data.data() + done, part);
      }
    }
  }

  card::Card& card_;
  const Network& network_;
  const workloads::Graph& graph_;
  const timeline::Jobs& jobs_;
  Picoseconds origin_ = 0;
  std::map<workloads::OperatorId, std::size_t> next_group_;
  std::map<std::pair<workloads::TensorId, int>, Bytes> places_;
  std::map<int, Bytes> ends_;
};

struct Assumed {
  const char* name;
  std::unique_ptr<card::Card> test::Cards::*card;
  std::vector<Override> schedule;  // added to the schedule of the card
  const Network& (*network)() = resnet20;
  friend void PrintTo(const Assumed& assumed, std::ostream* out) { *out << assumed.name; }
};

class HostOnTheCard : public testing::TestWithParam<Assumed> {};

TEST_P(HostOnTheCard, EndsEveryStepAtThePicosecondThatTheTimelineSays) {
  card::Card& card = *(test::cards().*GetParam().card);
  std::vector<Override> overrides = GetParam().schedule;
  overrides.push_back({"batch", "1", "test"});
  config::RunConfig run = test::card_run(overrides);
  run.schedule.calls = card.run().schedule.calls;
  run.schedule.host_buffers = card.run().schedule.host_buffers;
  run.schedule.load = card.run().schedule.load;

  const Network& network = GetParam().network();
  const timeline::PartView part{&run, &network.trained.network, &network.rows, false};
  const auto graph = std::make_shared<timeline::TrainedGraph>(timeline::training_graph_of(run, network.trained.forward),
                                                              network.trained.notes);
  timeline::Links links;
  const timeline::TrainingIteration iteration = timeline::iteration_of(run, graph, {part}, links);
  const timeline::Jobs jobs = timeline::jobs_of(iteration.graph(), {part});

  Host host(card, network, iteration, jobs);
  card.faults().on_fault = [](const std::string& fault) { ADD_FAILURE() << fault; };
  host.begin(iteration.timeline);
  const card::Totals before = card.totals();
  host.walk(iteration.timeline);
  const card::Totals after = card.totals();
  EXPECT_EQ(after.calls() - before.calls(), iteration.timeline.calls);
  EXPECT_EQ(after.launches - before.launches, iteration.timeline.launches);
  EXPECT_EQ(after.reconfigurations - before.reconfigurations, iteration.timeline.loads);
  EXPECT_EQ(after.to_card - before.to_card, iteration.timeline.to_card);
  EXPECT_EQ(after.to_host - before.to_host, iteration.timeline.to_host);
  EXPECT_EQ(after.refused, before.refused);
  EXPECT_EQ(after.serialised, before.serialised);
  EXPECT_GT(iteration.timeline.launches, 30);
  EXPECT_EQ(iteration.queued_launches > 0, GetParam().network == grouped);
}

INSTANTIATE_TEST_SUITE_P(
    Schedules, HostOnTheCard,
    testing::Values(
        Assumed{"OpenCl", &test::Cards::opencl_fast, {}},
        Assumed{"OpenClKeepsWeights", &test::Cards::opencl_fast, {{"schedule.transfers", "keep_weights", "test"}}},
        Assumed{"Xrt", &test::Cards::xrt, {}},
        Assumed{"XrtOfFewestLoads", &test::Cards::xrt, {{"schedule.order", "fewest_loads", "test"}}},
        Assumed{"RegionKeepsActivations", &test::Cards::region, {{"schedule.transfers", "keep_activations", "test"}}},
        Assumed{"CopiedBuffers", &test::Cards::copied, {}}, Assumed{"GroupsByXrt", &test::Cards::xrt, {}, grouped},
        Assumed{
            "GroupsByOpenCl", &test::Cards::opencl_fast, {{"schedule.transfers", "keep_weights", "test"}}, grouped}),
    [](const testing::TestParamInfo<Assumed>& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace weft
