#include "platform/iteration/timeline/run_iteration.h"
#include "tools/cli/commands.h"
#include "tools/cli/views.h"

namespace weft::tools {

namespace {

struct TrainOptions : ResultOptions {};

void declare(Arguments& command, TrainOptions& options) {
  command.add_argument("CONFIG", options.config, "Training: a file, or a name in configs/train").required();
  command.add_set(options.sets, "a key of the run, or train.KEY of the training");
  command.add_rung(options.rung);
  command.add_result(options, "train-NAME");
}

int execute(const TrainOptions& options) {
  Output output(options);
  check(output.view(), report::columns_of(kEpochColumns));
  const config::Library library = project_library();
  const train::TrainConfig config = train::load_train(options.config, overrides_of(options), library);
  for (const train::LevelRun& each : config.runs) {
    if (each.run.rung != config::Rung::Analytical) config::require_simulated_memory(each.run);
  }
  output.place(changed_name("train-" + config.name, changes_of(options), train::resolved_yaml(config)));
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
  return command<TrainOptions>("train", "Estimate the hours of training under a policy (MuPPET, GM, pruning)", declare,
                               execute);
}

}  // namespace weft::tools
