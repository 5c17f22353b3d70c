
#include "platform/config/reader.h"
#include "platform/iteration/timeline/run_iteration.h"
#include "tools/cli/commands.h"
#include "tools/train/view.h"

namespace weft::tools {

namespace {

void declare(Arguments& command, ResultOptions& options) {
  command.add_argument("CONFIG", options.config, "A training: a file, or a name in configs/train").required();
  command.add_set(options.sets, "a value of the run by its dotted key, or of the training by train. and its key");
  command.add_rung(options.rung);
  command.add_result(options, "train-NAME", "training");
  command.footer(
      R"(It computes how long a training takes whose course is known; it trains nothing (weft card --train does).

Examples:
  weft train muppet-resnet20
      MuPPET at its earliest switches: the level of every epoch, the hours, beside FP32 alone
  weft train muppet-resnet20 --set 'train.switch_epochs=[36, 45, 54, 63]'
      other epochs: the first of each level behind the first, from 0
  weft train muppet-resnet20 --set train.policy=gm --set train.errors=errors.csv --set train.gm.total_percent=80
      GM on top of it, replayed from a trace of errors, with the fewest convolutions that make up 80 % of the gain
  weft train muppet-resnet20 --format csv
      a line an epoch

Keys: configs/train/muppet-resnet20.yaml explains every key of a training; docs/how-to/train.md says what is computed.)");
}

// Name of a result with the changed options, as result_name() for runs.
std::string name_of(const train::TrainConfig& config, const std::vector<config::Override>& changes) {
  const std::string name = "train-" + config.name;
  return changes.empty() ? name : changed_name(name, changes, train::resolved_yaml(config));
}

int execute(const ResultOptions& options) {
  Output output(options);
  check(output.view(), report::columns_of(kEpochColumns));
  const config::Library library = project_library();
  const train::TrainConfig config = train::load_train(options.config, overrides_of(options), library);
  for (const train::LevelRun& each : config.runs) {
    if (each.run.rung != config::Rung::Analytical) config::require_simulated_memory(each.run);
  }
  output.place(name_of(config, changes_of(options)));
  Report report;
  {
    Progress progress(config.name, 0);
    const timeline::IterationNetwork network = timeline::iteration_network(config.run(), library);
    const train::Training training = train::train(config, network.network, network.graph, library, progress.watcher());
    train::TrainResult result = train::result_of(config, training, network.network.name);
    result.inputs = *library.inputs;
    report = output.report(view_of(result), result, csv_of(result));
  }
  output.save(report, train::resolved_yaml(config), library, config.run().keep_inputs, record::kEpochsCsv);
  output.print(report);
  return 0;
}

}  // namespace

Command train_command() {
  return command("train", "Hours to train under a precision policy: MuPPET or GM", declare, execute);
}

}  // namespace weft::tools
