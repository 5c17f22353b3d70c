#include "tools/main/command_line.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "model/core/error.h"
#include "model/core/text.h"
#include "platform/config/reader.h"
#include "platform/os/shell.h"
#include "platform/os/standard_streams.h"
#include "tools/cli/cli.h"
#include "tools/cli/commands.h"
#include "tools/main/command_tree.h"
#include "tools/main/complete.h"
#include "tools/main/man_pages.h"
#include "tools/results/output_file.h"

// What may stand on the command line, all of it: the one file that is compiled with CLI11, which takes seconds.
namespace weft::tools {

namespace {

// --- Options that several commands have ---

// An option that may be given several times, each time with one value.
CLI::Option* add_list(CLI::App& command, const std::string& flag, std::vector<std::string>& values,
                      const std::string& type, const std::string& help) {
  return command.add_option(flag, values, help)
      ->type_name(type)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

// `what`: "a value of the run, by its dotted key".
CLI::Option* add_set(CLI::App& command, std::vector<std::string>& sets, const std::string& what) {
  return add_list(command, "--set", sets, "KEY=VALUE", fmt::format("Override {}; repeatable", what));
}

CLI::Option* add_only(CLI::App& command, std::string& only) {
  return command
      .add_option("--only", only, "Only these convolutions: LAYER or LAYER:KIND, with * and ?, commas between")
      ->type_name("PATTERN");
}

void add_format(CLI::App& command, std::string& format, bool csv = true) {
  command
      .add_option("--format", format, csv ? "What is printed: table, json or csv" : "What is printed: table or json")
      ->type_name("FORMAT");
}

// What of the convolutions a table shows.
void add_columns(CLI::App& command, std::string& columns) {
  command.add_option("--columns", columns, "Comma-separated columns of the table (names as in --format csv)")
      ->type_name("LIST");
}

void add_view(CLI::App& command, std::string& columns, bool& summary) {
  add_columns(command, columns);
  command.add_flag("--summary", summary, "A table of totals alone, without a line per convolution");
}

// "auto" or a number. `who` works: "Processes".
void add_workers(CLI::App& command, std::string& workers, const std::string& who) {
  command.add_option("--workers", workers, who + ": auto, or a number")->type_name("N");
}

void add_cache(CLI::App& command, CacheOptions& options) {
  command
      .add_option("--cache", options.directory,
                  "Where what was simulated before is looked up and kept (rung exact); unless given the user's cache "
                  "folder, see weft cache")
      ->type_name("DIR");
  command.add_flag("--no-cache", options.off, "Simulate all of it, and keep nothing of it for another time");
}

// `name`: what results/ calls it unless --out is given; `what`: what options may have changed.
void add_save(CLI::App& command, SaveOptions& options, const std::string& name, const std::string& what) {
  command
      .add_option("--out", options.out,
                  fmt::format("Save the result in this directory: new, empty, or an earlier result. Unless given: "
                              "results/{0}, or results/{0}-CHANGES-DIGEST if options changed the {1}",
                              name, what))
      ->type_name("DIR");
  command.add_flag("--no-save", options.no_save, "Print only, save nothing");
}

// --- The commands ---

CLI::App* add_run(CLI::App& app, RunOptions& options) {
  CLI::App* command = app.add_subcommand("run", "Simulate a network or convolution on a configuration");
  command->add_option("CONFIG", options.config, "A run: a file, or a name in configs/runs; not with --resume");
  add_set(*command, options.sets, "a value of the configuration, by its dotted key");
  command->add_option("--rung", options.rung, "analytical, systemc or exact; short for --set rung=")->type_name("RUNG");
  add_only(*command, options.only);
  add_format(*command, options.format);
  add_view(*command, options.columns, options.summary);
  add_save(*command, options.save, "NAME", "run");
  add_workers(*command, options.workers, "Processes");
  add_cache(*command, options.cache);
  command
      ->add_option("--verify", options.verify,
                   "Rung exact: replay N stretches of each convolution that were skipped, cycle by cycle, and compare")
      ->type_name("N");
  command->add_flag("--strict-fit", options.strict_fit, "Exceeding the board is an error, not a line in the report");
  command
      ->add_option(
          "--resume", options.resume,
          "Go on with a run that Ctrl-C interrupted, from what it left here; give --activity again where it is wanted")
      ->type_name("DIR");
  command
      ->add_option("--waves", options.waves,
                   "Rung systemc: also write states, FIFOs, AXI handshakes and DDR commands of every cycle to this FST "
                   "file, and beside it FILE.gtkw, which shows them in GTKWave")
      ->type_name("FILE");
  command
      ->add_option("--activity", options.activity,
                   "Also what each block does over each convolution, in 200 parts of equal length, as CSV; what is "
                   "saved has it, "
                   "too, and so has its page (weft report)")
      ->type_name("FILE");
  CLI::Option* perfetto =
      command
          ->add_option("--perfetto", options.perfetto,
                       "Also a window of the one convolution as a trace, cycle by cycle, to open in ui.perfetto.dev")
          ->type_name("FILE");
  command->add_option("--from", options.trace_from, "First cycle of the trace; 0 unless given")
      ->type_name("C")
      ->needs(perfetto);
  command->add_option("--cycles", options.trace_cycles, "Cycles of the trace; 20000 unless given")
      ->type_name("N")
      ->needs(perfetto);
  command->footer(R"(Examples:
  weft run googlenet-u250 --rung analytical
      the whole of the headline run by the equations, at once
  weft run googlenet-u250 --only 'inception3b.*:GW' --set batch=4
      some grad-weight convolutions, cycle by cycle, with a smaller batch
  weft run conv-small --set kernel.array.x=4 --set kernel.profile=rtl
      another array and another implementation profile
  weft run googlenet-u250 --set network=squeezenet1_1 --set memory.auto_precharge_a3=false
      another network; another setting of the board's memory
  weft run googlenet-u250 --only 'inception3b.branch2.1.conv:F' --set batch=1 --rung systemc --waves conv.fst
      every cycle of a convolution as waveforms: gtkwave conv.fst conv.gtkw (docs/waves.md)
  weft run googlenet-u250 --only 'conv1.conv:GW' --set batch=1 --perfetto conv1.pftrace --from 100000
      20,000 cycles of one as lanes of states and counts of tokens, for ui.perfetto.dev
  weft run googlenet-u250 --only 'inception3b.*' --activity activity.csv
      which blocks are active, blocked, starved and idle when, over each whole convolution
  weft run my-run.yaml --out results/my-run --format csv
      a file of your own; its result as a directory and on standard output
  weft run googlenet-u250 --rung analytical --columns layer,kind,cycles,array_utilisation
      a table of four columns; --summary prints the totals alone
  weft run --resume results/my-run
      go on after a Ctrl-C: the result is the same to the byte

Keys: weft show CONFIG --yaml prints every key of a run with its value.)");
  return command;
}

CLI::App* add_timeline(CLI::App& app, TimelineOptions& options) {
  CLI::App* command =
      app.add_subcommand("timeline", "A whole training iteration: host, PCIe, reconfiguration, kernels");
  command
      ->add_option("CONFIG", options.config,
                   "A run or a cluster: a file, or a name in configs/runs, configs/timeline or "
                   "configs/clusters")
      ->required();
  add_set(*command, options.sets, "a value of the run, by its dotted key");
  command->add_option("--rung", options.rung, "analytical, systemc or exact; short for --set rung=")->type_name("RUNG");
  command->add_option("--from", options.from, "Take the cycles from this result of weft run, instead of simulating")
      ->type_name("DIR");
  command->add_option("--perfetto", options.perfetto, "Also the steps as a trace, to open in ui.perfetto.dev")
      ->type_name("FILE");
  add_format(*command, options.format);
  add_columns(*command, options.columns);
  add_save(*command, options.save, "timeline-NAME", "run");
  add_workers(*command, options.workers, "Processes");
  add_cache(*command, options.cache);
  command->footer(R"(Examples:
  weft timeline googlenet-u250 --from results/googlenet-u250
      where the hours of an epoch go, with the cycles of an earlier weft run googlenet-u250
  weft timeline googlenet-u250 --set schedule.transfers=keep_activations --set schedule.load=region
      the same run if tensors stay on the card and only a region is reconfigured
  weft timeline googlenet-u250 --set schedule.order=fewest_loads
      convolutions in an order that loads kernels seldom, and what that saves
  weft timeline googlenet-u250 --rung analytical --format csv
      every step of the iteration with its start and end, in picoseconds
  weft timeline googlenet-u250 --rung analytical --perfetto iteration.pftrace
      the same steps as lanes that can be zoomed, in ui.perfetto.dev
  weft timeline nada-mobilenetv2 --set batch=64
      batches over boards in a row: fill, steady state, drain, update; stores and links (docs/clusters.md)

docs/timeline.md says what each key of `schedule` does, docs/host.md what each of `host` does.)");
  return command;
}

CLI::App* add_train(CLI::App& app, TrainOptions& options) {
  CLI::App* command = app.add_subcommand("train", "Hours to train under a precision policy: MuPPET or GM");
  command->add_option("CONFIG", options.config, "A training: a file, or a name in configs/train")->required();
  add_set(*command, options.sets, "a value of the run by its dotted key, or of the training by train. and its key");
  command->add_option("--rung", options.rung, "analytical, systemc or exact; short for --set rung=")->type_name("RUNG");
  add_format(*command, options.format);
  add_columns(*command, options.columns);
  add_save(*command, options.save, "train-NAME", "training");
  add_workers(*command, options.workers, "Processes");
  command->footer(
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

Keys: configs/train/muppet-resnet20.yaml explains every key of a training; docs/train.md says what is computed.)");
  return command;
}

CLI::App* add_plan(CLI::App& app, PlanOptions& options) {
  CLI::App* command = app.add_subcommand("plan", "A network over a cluster of boards: what each computes, what binds");
  command->add_option("CONFIG", options.config, "A cluster: a file, or a name in configs/clusters")->required();
  add_set(*command, options.sets, "a value of the cluster, by its dotted key");
  add_format(*command, options.format);
  add_save(*command, options.save, "plan-NAME", "cluster");
  command->footer(R"(Examples:
  weft plan fpdeep-alexnet
      layers and parts of layers over 15 boards: balance, memory, and how far each reading of the links scales
  weft plan fpdeep-vgg19 --set fpdeep.gradients=shared
      another reading of what is stored
  weft plan fpdeep-alexnet --format csv
      the speed of 1 to 150 boards under each reading, for a plot
  weft plan nada-mobilenetv2 --set boards=3
      an implementation for each layer, over boards in a row: the best rate, what binds, what each layer takes

Keys: configs/clusters/fpdeep-alexnet.yaml explains every key; docs/clusters.md says what is computed.)");
  return command;
}

CLI::App* add_sweep(CLI::App& app, SweepOptions& options) {
  CLI::App* command = app.add_subcommand("sweep", "Run every point of a parameter space; go on where it stopped");
  command->add_option("CONFIG", options.config, "A sweep: a file, or a name in configs/sweeps")->required();
  add_set(*command, options.sets, "a value of the run that the sweep starts from");
  command->add_option("--out", options.out, "Database of the results; unless given: results/NAME.db")
      ->type_name("FILE");
  add_workers(*command, options.workers, "Processes, per MPI rank one");
  add_cache(*command, options.cache);
  command->add_flag("--dry-run", options.dry_run, "Say how many points there are and which, and run nothing");
  command->add_flag("--new", options.beside, "Begin a new sweep in a file that holds another one's rows, beside them");
  command->add_flag("--retry-failed", options.retry_failed, "Run points again that failed earlier");
  command->add_option("--points", options.points, "Only these points: numbers and ranges, as 0-3,7")->type_name("LIST");
  command
      ->add_option(
          "--rerank", options.rerank,
          "Once all points are recorded, run the best N of the first objective again on the exact rung (or that "
          "of the key rerank.rung)")
      ->type_name("N");
  add_list(*command, "--merge", options.merge, "FILE",
           "Take over the points of this database of the same sweep; repeatable");
  command->add_option("--slurm", options.slurm, "Run the points as a Slurm job array of at most N tasks")
      ->type_name("N");
  command->add_option("--sbatch", options.sbatch, "With --slurm: further options of sbatch")->type_name("OPTIONS");
  command->add_option("--slurm-poll", options.slurm_poll, "With --slurm: seconds between looks at the queue")
      ->type_name("SECONDS");
  command
      ->add_option("--rank-timeout", options.rank_timeout,
                   "Under mpirun: seconds of silence after which a rank counts as dead")
      ->type_name("SECONDS");
  command->footer(R"(Examples:
  weft sweep better-card
      every point on all processors; start it again after a Ctrl-C, a crash or kill -9: it goes on
  weft sweep best-array --rerank 10
      the points by the equations, then the ten best on the exact rung: whether the winner stays
  weft sweep nada-size
      plans of a network over a cluster: boards, clock, share that may be used (docs/clusters.md)
  weft sweep better-card --dry-run
      what it would run
  weft show results/better-card.db --pareto
      the Pareto front of the sweep's objectives
  mpirun -n 4 --enable-recovery weft sweep better-card
      the same on four MPI ranks; the points of one that dies run again on the others
  weft sweep better-card --slurm 16 --sbatch '--partition=long --mem=2G'
      the same as a Slurm job array; docs/sweep.md describes all of this)");
  return command;
}

CLI::App* add_dse(CLI::App& app, DseOptions& options) {
  CLI::App* command = app.add_subcommand("dse", "The best kernel of each convolution, and the fewest kernels");
  command->add_option("CONFIG", options.configs, "Explorations: files, or names in configs/dse")->required();
  add_set(*command, options.sets, "a value of the run by its dotted key, or of the exploration by dse. and its key");
  add_only(*command, options.only);
  command
      ->add_option("--rerank", options.rerank,
                   "Simulate the best N of each convolution; short for --set dse.rerank.count=")
      ->type_name("N");
  add_format(*command, options.format);
  add_columns(*command, options.columns);
  add_save(*command, options.save, "dse-NAME", "exploration");
  add_workers(*command, options.workers, "Threads, and processes that simulate");
  add_cache(*command, options.cache);
  command->footer(R"(Examples:
  weft dse googlenet
      GoogLeNet on one super logic region of the U250 per subsystem, as in the thesis
  weft dse googlenet --only 'inception3b.branch3.1.conv:F' --set 'dse.penalties_percent=[]' --rerank 10
      one convolution; its ten best arrays by the equations, simulated on the exact rung
  weft dse googlenet --set network=resnet18 --set dse.budget.dsp=11508
      another network with all DSPs of the card
  weft dse alexnet_cifar10 alexnet resnet20 googlenet squeezenet1_0
      Tables 5.6 and 5.8 of the thesis

Keys: configs/dse/googlenet.yaml explains every key of an exploration; docs/dse.md says what is computed.)");
  return command;
}

CLI::App* add_card(CLI::App& app, CardOptions& options) {
  CLI::App* command = app.add_subcommand("card", "An unmodified XRT or OpenCL program on the simulated card");
  command->add_option("CONFIG", options.config, "A run: a file, or a name in configs/runs")->required();
  command->add_option("PROGRAM", options.program, "Behind --: a program and its arguments");
  add_set(*command, options.sets, "a value of the run, by its dotted key");
  command
      ->add_option("--execution", options.execution,
                   "How convolutions are carried out: fast (values directly, cycles of the exact rung), or data (every "
                   "word through every FIFO of the SystemC model)")
      ->type_name("HOW");
  command->add_option("--check", options.check, "Percent of the launches that fast carries out both ways and compares")
      ->type_name("N");
  command
      ->add_option("--transcript", options.transcript, "Write every call with its simulated times to this file (CSV)")
      ->type_name("FILE");
  command
      ->add_option("--xclbin", options.xclbin,
                   "Write the run's xclbin to this file; to a folder, with a slash at its end, all that the run needs, "
                   "and index.json, which says which convolution needs which")
      ->type_name("FILE");
  command
      ->add_option(
          "--train", options.train,
          "In place of a program: train this network (a name, or an ONNX file) by LibTorch, its convolutions on "
          "the card")
      ->type_name("NETWORK");
  command
      ->add_option(
          "--live", options.live,
          "Train under a policy: CONFIG is a training (configs/train), whose MuPPET or GM chooses the formats; "
          "what it measures is written to this folder, for weft train to be replayed from")
      ->type_name("FOLDER");
  command->add_option("--steps", options.steps, "--train: steps, a batch each; 20 unless given")->type_name("N");
  command->add_option("--batch", options.batch, "--train: short for --set batch=")->type_name("N");
  command->add_option("--rate", options.rate, "--train: the learning rate of SGD; 0.001 unless given")->type_name("R");
  command->add_option("--data", options.data, "--train: a folder with CIFAR-10's binary files; else synthetic images")
      ->type_name("FOLDER");
  command->add_flag("--compare", options.compare,
                    "--train: the same network by LibTorch alone beside; exit code 1 if losses or gradients differ");
  command->add_flag(
      "--emulate", options.emulate,
      "--train, --live: each convolution of fixed point by a plain loop nest, too; exit code 1 if a word of "
      "OUT differs");
  command->footer(
      R"(The program is started with XRT's hardware emulation set up for it; it needs no change. What XRT needs is installed
when it first runs. The line at the end, on standard error, says the simulated time to the picosecond. Examples:
  weft card conv-small --xclbin conv.xclbin
      the bitstream of one convolution, as a host program loads it
  weft card conv-small -- ./host conv.xclbin
      a host program on a U250 with FPGPT; its exit code is passed on
  weft card resnet20-u250 --xclbin resnet20/ --transcript calls.csv -- ./train resnet20
      the kernels that the network needs, a program that loads them, and each of its calls
  weft card resnet20-card --train resnet20 --steps 20 --compare
      training without a program: losses, and the simulated time of an iteration beside weft timeline
  weft card resnet20-card --set kernel.format=fxp8 --train resnet20 --steps 30 --emulate
      the same in 8 bits, every OUT held against plain C++
  weft card gm-resnet20-live --live traces/
      a training under GM, whose traces weft train can be replayed from

docs/card.md follows one launch from the program to the memory and back; docs/torch.md is about training.)");
  return command;
}

CLI::App* add_show(CLI::App& app, ShowOptions& options) {
  CLI::App* command = app.add_subcommand(
      "show", "What a config, network, board, host, exploration, validation, sweep or result says, at a glance");
  command
      ->add_option(
          "X", options.what,
          "A file, a result directory (of weft run, timeline, plan, dse, train, validate or explain), a folder of "
          "results, a "
          "database of "
          "results (of weft sweep), "
          "or the name "
          "of a run, board, host, kernel, network, sweep, exploration, training or validation; or schema: what the "
          "keys of "
          "results mean")
      ->required();
  add_set(*command, options.sets, "a value first, as for weft run");
  command->add_flag("--yaml", options.yaml, "Every key with its value, as a file that weft reads");
  command
      ->add_flag("--training", options.training,
                 "Every operator of one training iteration: what it computes, reads and writes")
      ->group("Of a network");
  command->add_option("--batch", options.batch, "Images an iteration; 1 unless given")
      ->type_name("N")
      ->group("Of a network");
  command->add_option("--loss", options.loss, "The output that the loss is put on, where there are several")
      ->type_name("NAME")
      ->group("Of a network");
  const auto repeatable = [&](const char* flag, std::vector<std::string>& values, const char* help) {
    add_list(*command, flag, values, "EXPR", help)->group("Of a sweep's database");
  };
  const auto option = [&](const char* flag, std::string& value, const char* type, const char* help) {
    command->add_option(flag, value, help)->type_name(type)->group("Of a sweep's database");
  };
  const auto flag = [&](const char* name, bool& value, const char* help) {
    command->add_flag(name, value, help)->group("Of a sweep's database");
  };
  repeatable("--where", options.where, "Only rows for which the expression holds, as 'fits == 1'; repeatable");
  option("--sort", options.sort, "EXPR", "By this field, axis or expression");
  command->add_flag("--summary", options.summary, "Of a result of weft run: totals alone");
  flag("--descending", options.descending, "The largest first");
  option("--limit", options.limit, "N", "At most so many rows");
  flag("--pareto", options.pareto, "Only what no other point beats in the sweep's objectives, its constraints met");
  repeatable("--minimize", options.minimize, "The Pareto front of these instead of the sweep's objectives; repeatable");
  repeatable("--maximize", options.maximize, "Likewise");
  flag("--feasible", options.feasible, "Only points that meet the sweep's constraints");
  flag("--failed", options.failed, "Only points that failed, with their errors");
  flag("--convolutions", options.convolutions, "A row for each convolution instead of each point");
  flag("--rerank", options.rerank, "The points that weft sweep --rerank ran again on another rung, with both ranks");
  option("--point", options.point, "N", "Only this point; with --yaml its run, as a file that weft runs");
  option("--columns", options.columns, "LIST",
         "These fields, axes and expressions, with commas between; of another result: these columns");
  option("--sweep", options.sweep, "N", "Which sweep of a file that holds several; else the newest");
  option("--format", options.format, "FORMAT",
         "table, json or csv; the latter two have every field (of --training and of results, too)");
  command->footer(R"(Examples:
  weft show googlenet-u250
      a run: its network, kernel, board and memory
  weft show googlenet-u250 --set kernel.array.x=32 --yaml
      every key of a run and its value, overrides included
  weft show u250
      a board, and which of its figures are assumptions; weft show xeon-bronze-3104: a host
  weft show squeezenet1_1
      a network: its layers and its work
  weft show resnet20 --training --batch 128
      its training iteration, operator by operator
  weft show u250-slr
      an exploration: its budget, its space and the run behind it; weft show googlenet-small: a validation
  weft show results/my-run
      a result, as weft run printed it; results/timeline-NAME, plan-NAME, dse-NAME, train-NAME, validate-NAME, explain-NAME likewise
  weft show results
      the results that lie there, newest first
  weft show schema
      type, unit and meaning of every key that results have; --format json: as JSON Schema
  weft show results/better-card.db --pareto
      what no other point of a sweep beats
  weft show results/best-array.db --rerank
      the points that were run again on another rung, with both ranks
  weft show results/better-card.db --where 'x*y <= 341 && fits' --sort seconds --limit 10
      its ten fastest points that fit and have at most 341 PEs
  weft show results/better-card.db --format csv
      everything, for a spreadsheet; --convolutions has a row for each convolution
  weft show results/better-card.db --point 7 --yaml
      the run of one point, to run again or to change)");
  return command;
}

CLI::App* add_compare(CLI::App& app, CompareOptions& options) {
  CLI::App* command = app.add_subcommand("compare", "Two results, side by side: what moved, and why");
  command
      ->add_option(
          "A", options.a,
          "A result directory of weft run, or a run (a file, or a name in configs/runs); or a result directory of "
          "weft timeline")
      ->required();
  command->add_option("B", options.b, "Likewise; two of a kind")->required();
  add_set(*command, options.sets, "a value of a run that is simulated for this, A as well as B");
  add_only(*command, options.only);
  command
      ->add_option("--fail-above", options.fail_above,
                   "Exit code 1 if the cycles of a convolution, a kind or the network moved by more, either way, or a "
                   "convolution has no partner; of two timelines, if the time of an iteration an image did")
      ->type_name("PERCENT");
  command->add_option("--most", options.most, "Rows of the table; JSON and CSV have all")->type_name("N");
  add_workers(*command, options.workers, "Processes");
  add_format(*command, options.format);
  add_columns(*command, options.columns);
  command->footer(R"(Examples:
  weft compare results/before results/after
      which keys differ, what that did to each kind and to each convolution, the largest move first
  weft compare googlenet-u250 results/googlenet-u250 --fail-above 1%
      for CI: simulates the run and fails if anything moved by more than 1% from the saved result
  weft compare a.yaml b.yaml --set rung=analytical --format csv
      two configurations by the equations, a line per convolution
  weft compare results/timeline-im2col-fpgpt results/timeline-im2col-barista
      two iterations: what kernels, transfers, calls and the host take in each)");
  return command;
}

CLI::App* add_report(CLI::App& app, ReportOptions& options) {
  CLI::App* command =
      app.add_subcommand("report", "One self-contained HTML file for a result, or for two runs to compare");
  command
      ->add_option("RESULT", options.results,
                   "A result directory (of weft run, explain, timeline, dse, train or validate) or a database of weft "
                   "sweep; two "
                   "results of weft run are compared, and one with its explanation shows that, too")
      ->required();
  command
      ->add_option("--out", options.out,
                   "The file. Unless given: RESULT.html beside the result, or A-vs-B.html beside the first of two")
      ->type_name("FILE");
  command->footer(R"(Examples:
  weft report results/googlenet-u250
      results/googlenet-u250.html: where the time of every convolution goes, the roofline, what fits, all rows
  weft report results/before results/after --out change.html
      two runs side by side: what moved most, and whose limiter changed
  weft report results/googlenet-u250 results/explain-googlenet-u250
      the same page of the run with what to change first, by weft explain googlenet-u250
  weft report results/better-card.db
      a sweep: its Pareto front, and all of its parameters at once
  weft report results/timeline-googlenet-u250
      an iteration in time: host, link and card, step by step

The file asks for nothing else: it can be mailed, and read without a network. docs/report.md says what is on it.)");
  return command;
}

CLI::App* add_host_profile(CLI::App& app, HostProfileOptions& options) {
  CLI::App* command = app.add_subcommand(
      "host-profile", "The operators of a network that stay on the host, measured on this machine with oneDNN");
  command->add_option("NETWORK", options.network, "A network by its name, or an ONNX file")->required();
  const auto option = [&](const char* flag, std::string& value, const char* type, const char* help) {
    command->add_option(flag, value, help)->type_name(type);
  };
  option("--batch", options.batch, "N", "Images an iteration; 256 unless given");
  option("--threads", options.threads, "N", "Threads of an operator: auto (one a processor), or a number");
  option("--repeat", options.repeat, "N", "Runs of an operator, whose median counts; 5 unless given");
  command->add_flag("--forward", options.forward, "Only the forward pass, not the training iteration");
  command->add_flag("--convolutions", options.convolutions, "The convolutions, too: for a host without a card");
  option(
      "--matrices", options.matrices, "TILE",
      "What a word takes that is put into tiles and taken out of them, and added by col2im, too, as a host does that "
      "serves launches of a GEMM: tiles of ROWSxCOLUMNSxDEPTH words, as 16x16x64");
  option("--loss", options.loss, "NAME", "The output that the loss is put on, where there are several");
  option("--host", options.host, "HOST",
         "The host, by name or file, that all but the measured times is taken from; xeon-bronze-3104 unless given");
  add_set(*command, options.sets, "a value of that host, as --set cpu=mine");
  option("--out", options.out, "FILE", "Write the host to this file; unless given: results/host-NETWORK.yaml");
  add_format(*command, options.format);
  command->footer(R"(What it needs is installed and built when it first runs. Examples:
  weft host-profile resnet20
      every operator of the training iteration that is no convolution, at batch 256
  weft host-profile googlenet --batch 32 --threads 1 --out mine.yaml
      on one thread, to a file that --set host=mine.yaml takes
  weft host-profile resnet20 --matrices 16x16x64 --threads 1
      with the prices of a host that cuts matrices into tiles for Barista
  weft host-profile alexnet --forward --convolutions --format csv
      a forward pass, convolutions included, for a spreadsheet)");
  return command;
}

CLI::App* add_dram(CLI::App& app, DramOptions& options) {
  CLI::App* command = app.add_subcommand("dram", "A memory trace through the DRAM model alone");
  command->add_option("TRACE", options.trace, "A file with one request a line: 'R 0x1f40' or 'W 0x1f80'")->required();
  command->add_option("--map", options.map, "Address map, RCB or INTLV; the board's unless given")->type_name("MAP");
  command->add_option("--board", options.board, "Whose memory: a board's name or file; u250 unless given")
      ->type_name("BOARD");
  add_set(*command, options.sets, "a value of the memory, such as memory.timing_nCK.tFAW=20");
  add_format(*command, options.format, false);
  command->footer(
      R"(Requests are of 64 bytes, in order, at most one per DRAM clock. Auto-precharge is off unless it is set.

Examples:
  weft dram my.trc --map RCB
      cycles, bandwidth, row hits and latencies of a trace
  weft dram my.trc --map INTLV --set memory.auto_precharge_a3=true
      as the Alveo shells configure their memory controllers
  weft dram my.trc --set memory.queues.read=8 --format json
      a smaller read queue; for a script)");
  return command;
}

void add_config_options(CLI::App& command, CosimOptions& options) {
  CLI::Option* config = command.add_option("CONFIG", options.config, "A run: a file, or a name in configs/runs");
  add_set(command, options.sets, "a value of the configuration, by its dotted key")->needs(config);
  add_only(command, options.only)->needs(config);
  command
      .add_option("--refuse", options.refuse, "Per cent of the cycles in which the AXI side accepts no address or beat")
      ->type_name("PERCENT")
      ->check(CLI::Range(0, 95))
      ->needs(config);
  command.add_option("--rtl", options.rtl, "The RTL of this folder, which weft rtl wrote, instead of the project's")
      ->type_name("DIR")
      ->needs(config);
  CLI::Option* waves =
      command
          .add_option("--waves", options.waves,
                      "Waveforms (FST) around the first difference; of the first convolution if there is none")
          ->type_name("FILE")
          ->needs(config);
  command
      .add_option("--waves-from", options.waves_from, "First cycle of the waveforms, instead of around the difference")
      ->type_name("CYCLE")
      ->check(CLI::NonNegativeNumber)
      ->needs(waves);
  command.add_option("--waves-cycles", options.waves_cycles, "Cycles of the waveforms; 1000 unless given")
      ->type_name("N")
      ->check(CLI::PositiveNumber)
      ->needs(waves);
}

void add_campaign_options(CLI::App& command, CosimOptions& options) {
  CLI::Option* campaign =
      command.add_flag("--campaign", options.campaign, "Random convolutions on random builds of the RTL")
          ->excludes("CONFIG");
  command.add_option("--count", options.count, "Convolutions of the campaign; 2000 unless given")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000))
      ->needs(campaign);
  command.add_option("--seed", options.seed, "Of the campaign; 1 unless given")->type_name("S")->needs(campaign);
  command.add_option("--builds", options.builds, "Builds of the campaign; 60 unless given")
      ->type_name("N")
      ->check(CLI::Range(1, 1000))
      ->needs(campaign);
  command
      .add_option("--case", options.only_case,
                  "Only this convolution of the campaign, after those that precede it on its build")
      ->type_name("I")
      ->check(CLI::Range(0, 1000000))
      ->needs(campaign);
  command
      .add_option("--numbers", options.numbers,
                  "What the campaign's kernels compute in: fp32, or fixed, of 4 to 16 bits; fp32 unless given")
      ->type_name("NAME")
      ->needs(campaign);
  command.add_flag("--mutants", options.mutants, "Faults put into a copy of the RTL: all must be noticed")
      ->excludes(campaign)
      ->excludes("CONFIG");
  command.add_option("--design", options.design, "Of the campaign or the faults; the first with RTL unless given")
      ->type_name("NAME")
      ->excludes("CONFIG");
}

CLI::App* add_cosim(CLI::App& app, CosimOptions& options) {
  CLI::App* command = app.add_subcommand("cosim", "The RTL and the model side by side, every handshake compared");
  add_config_options(*command, options);
  add_campaign_options(*command, options);
  add_workers(*command, options.workers, "Processes");
  add_format(*command, options.format);
  add_columns(*command, options.columns);
  command->footer(
      R"(Verilator compiles the RTL for each kernel of the run (10 to 60 seconds, kept for the next time); then the RTL and the
SystemC model run each convolution on random data against the same memory. Any difference ends with exit code 1. The
RTL of a 16 x 16 array makes some tens of thousands of cycles a second: choose small convolutions or few.

Examples:
  weft cosim conv-small --set kernel.array.x=4 --set kernel.array.y=4
      one convolution, every push, pop and word compared
  weft cosim resnet20-u250 --set batch=1 --set kernel.array.x=4 --set kernel.array.y=4 --only 'layer3.0.conv1:F' --refuse 30
      a real layer on DDR4, with an AXI side that refuses 30% of the time
  weft cosim conv-small --set kernel.array.x=4 --set kernel.array.y=4 --waves small.fst --waves-from 5000
      the same convolution, and cycles 5000 to 5999 as waveforms
  weft cosim resnet20-barista --set batch=1 --set kernel.tile.r=4 --set kernel.tile.c=4 --only 'layer1.0.conv1'
      of a design that multiplies matrices: the GEMM of each image and group
  weft cosim --campaign --seed 7
      2000 random convolutions on 60 random builds
  weft cosim --campaign --seed 7 --case 1234
      one of them again
  weft cosim --campaign --numbers fixed --count 1000
      kernels of fixed point, of 4 to 16 bits, packed and padded
  weft cosim --mutants
      that the comparison can fail: every seeded fault must be noticed)");
  return command;
}

CLI::App* add_rtl(CLI::App& app, RtlOptions& options) {
  CLI::App* command = app.add_subcommand("rtl", "The RTL of a run's kernel as a folder, to synthesise and package");
  command->add_option("CONFIG", options.config, "A run: a file, or a name in configs/runs")->required();
  add_set(*command, options.sets, "a value of the configuration, by its dotted key");
  add_only(*command, options.only);
  command->add_option("--out", options.out, "The folder: new, or empty")->type_name("DIR")->required();
  command->footer(
      R"(Writes the RTL that weft co-simulates against its model, with exactly the parameters of this run: a module around it
that sets them and has the names of pins that AMD's tools expect, file list, constraints as comments, scripts for
Verilator and yosys, kernel.xml for packaging, the register map, and the run itself.

Examples:
  weft rtl conv-small --out conv-small-rtl
      one kernel, sizes fitted to its convolution
  weft rtl resnet20-u250 --set kernel.kern_words=shared --set kernel.out_words=shared --set kernel.variant=both --out rtl
      one that runs every convolution of a network
  weft cosim conv-small-rtl/config.yaml --rtl conv-small-rtl
      what was written, held to the model handshake by handshake)");
  return command;
}

CLI::App* add_synth(CLI::App& app, SynthOptions& options) {
  CLI::App* command =
      app.add_subcommand("synth", "What a kernel's RTL takes of an FPGA, beside what its design estimates");
  command->add_option("KERNEL", options.kernel, "A kernel: a file, or a name in configs/kernels");
  add_set(*command, options.sets, "a value of the kernel, by its dotted key");
  command->add_option("--run", options.run, "The run to whose convolutions sizes that are no numbers are fitted")
      ->type_name("RUN");
  command->add_option("--block", options.block, "Only this block, by its name in the table")->type_name("NAME");
  command->add_flag("--whole", options.whole, "Also the kernel as one, module boundaries dissolved: minutes to hours");
  add_workers(*command, options.workers, "How many yosys run at a time");
  command->add_option("--calibrate", options.calibrate, "Fit the design's own estimate instead, and write it to DIR")
      ->type_name("DIR");
  command->add_flag("--errors", options.errors,
                    "Print how wrong that estimate is on the kernels it was fitted to, and on others");
  command->add_option("--design", options.design, "Of --calibrate or --errors; the first with RTL unless given")
      ->type_name("NAME");
  add_format(*command, options.format);
  add_columns(*command, options.columns);
  command->footer(
      R"(yosys synthesises each module of the kernel once for UltraScale+, which takes one to five minutes for a kernel that is new and
nothing for one that is not; everything that is replicated is counted as often as the kernel has it.

Columns: synth, what yosys maps to; model, the design's own estimate, fitted to what yosys mapped before; thesis, the resource
equations that the design was published with.

Examples:
  weft synth fpgpt-4x8-hls
      sizes fitted to the convolution of the run conv-small
  weft synth fpgpt-8x8-hls --set kern_words=65536 --set profile=rtl --block kern_feeder_fgi
      one block: what wide_kern_load costs
  weft synth fpgpt-4x8-hls --run resnet20-u250 --set variant=fgi --format json
      one with sizes for every convolution of a run that its variant computes
  weft synth barista-16x16x64
      one without sizes to fit
  weft synth --errors --design barista
      how far the estimate is from yosys, kernel by kernel
  weft synth --calibrate model/fpgpt/analytical
      about half an hour: the points, and the coefficients fitted to them)");
  return command;
}

CLI::App* add_validate(CLI::App& app, ValidateOptions& options) {
  CLI::App* command = app.add_subcommand("validate", "The error of a rung against another, and whether it moved");
  command
      ->add_option("CONFIG", options.config,
                   "A validation or a run: a file, a name in configs/validate or configs/runs, or the directory of a "
                   "saved result")
      ->required();
  add_set(*command, options.sets,
          "a value of the run by its dotted key, or of the validation by validate. and its key");
  add_only(*command, options.only);
  command->add_option("--kernel", options.kernels, "Only these kernels, by name, with * and ?, commas between")
      ->type_name("PATTERN");
  command
      ->add_option("--model", options.model,
                   "The rung whose error is asked for: analytical, systemc, exact or rtl; short for --set "
                   "validate.rungs.model=")
      ->type_name("RUNG");
  command->add_option("--against", options.against, "The rung it is measured against")->type_name("RUNG");
  command
      ->add_option("--baseline", options.baseline,
                   "Exit with 1 if an error is not where this file says; none: ignore the one that CONFIG names")
      ->type_name("FILE");
  command->add_option("--save-baseline", options.save_baseline, "Save the errors of this run for later ones")
      ->type_name("FILE");
  command->add_option("--junit", options.junit, "Write JUnit XML for a CI system")->type_name("FILE");
  add_format(*command, options.format);
  add_columns(*command, options.columns);
  add_save(*command, options.save, "validate-NAME", "validation");
  add_workers(*command, options.workers, "Processes");
  command->footer(R"(Examples:
  weft validate googlenet-small
      20 convolutions of GoogLeNet on two kernels, the equations against the exact rung, compared with their baseline
  weft validate squeezenet-u250 --set batch=8
      a run: its equations against the exact rung, on its own convolutions and kernel
  weft validate results/squeezenet-u250 --only 'features.3.*' --against systemc
      a run that was saved; some convolutions of it, cycle by cycle
  weft validate googlenet-table54 --kernel 4x8 --only 'inception3a.*'
      a part of the thesis' experiment (Table 5.4)
  weft validate googlenet-small --against systemc --baseline none
      the same convolutions, cycle by cycle
  weft validate pcie
      the model of the link against measured transfers, and its closed form against its simulation
  weft validate googlenet-small --save-baseline new.json
      after a change that should move errors: look at what moved, then put new.json in place of the baseline

A run's errors are held to limits: 10 % of the cycles of each kind and of all, 16 % of each convolution, which is what the
thesis found of its equations (Table 5.4) in round figures; none between two simulations. Others by --set
validate.limits_percent.total=5 and --set validate.limits_percent.convolution=30.

Exit codes: 0 done, and every error where the baseline says and within the limits; 1 an error moved or is beyond its
limit; 2 wrong input.
Keys: configs/validate/googlenet-table54.yaml explains every key; docs/validate.md says what is computed.)");
  return command;
}

CLI::App* add_mutants(CLI::App& app, MutantsOptions& options) {
  CLI::App* command = app.add_subcommand("mutants", "Faults put into a copy of the model: its tests must notice all");
  command->add_option("NAME", options.name, "Only the faults that have NAME in their names");
  add_format(*command, options.format);
  command->footer(
      R"(Each fault of configs/mutants/model.yaml is put into a copy of the project (kept in build/release/mutants), alone; the
test programs that are to notice it are built there and run. Before that they must pass without a fault. A fault that
survives ends with exit code 1, and so does one that is noticed although it is listed as equivalent. The first start builds these tests, some minutes; a fault takes about half a minute.
Faults in the RTL: weft cosim --mutants.

Examples:
  weft mutants
      all of them
  weft mutants drain
      those of the write drain)");
  return command;
}

CLI::App* add_bench(CLI::App& app, BenchOptions& options) {
  CLI::App* command = app.add_subcommand("bench", "The project's own speed, as ratios from one run");
  command
      ->add_option("--only", options.only,
                   "Only this part: systemc, exact, headline, ddr4, pcie, start-up, sweep, rtl, card, transfers, hosts "
                   "or barista")
      ->type_name("PART");
  command
      ->add_flag(
          "--growth", options.growth,
          "Instead: what the exact rung costs as the batch, the groups, the number of convolutions, the layer and "
          "the array change")
      ->excludes("--only");
  add_format(*command, options.format, true);
  command->footer(R"(Some five minutes; half a minute more when Verilator has to compile the RTL first.

Examples:
  weft bench
      simulated cycles and requests per second of this machine, and what each is of its bar
  weft bench --only rtl
      the RTL under Verilator, and the SystemC model beside it
  weft bench --growth --format csv
      the points that docs/performance.md plots; some minutes
  weft bench --format json
      the same, for a script that watches for regressions)");
  return command;
}

// --- All of it ---

CLI::App* add_explain(CLI::App& app, ExplainOptions& options) {
  CLI::App* command =
      app.add_subcommand("explain", "What limits a run, and what each change would gain: a ladder of counterfactuals");
  command->add_option("CONFIG", options.config, "A run: a file, or a name in configs/runs")->required();
  add_set(*command, options.sets, "a value of the run, by its dotted key");
  command->add_option("--rung", options.rung, "analytical, systemc or exact; short for --set rung=")->type_name("RUNG");
  add_only(*command, options.only);
  command
      ->add_option("--search-batch", options.search_batch,
                   "The batch at which the order of the changes is looked for; at another batch of the run it is "
                   "replayed, one run a step. Unless given: 1, by the equations that of the run")
      ->type_name("N");
  add_format(*command, options.format);
  add_columns(*command, options.columns);
  add_save(*command, options.save, "explain-NAME", "run");
  add_workers(*command, options.workers, "Processes");
  add_cache(*command, options.cache);
  command->footer(R"(Examples:
  weft explain googlenet-u250 --set batch=1
      the whole of the headline run at batch 1: every change at every step
  weft explain googlenet-u250 --only 'inception3b.*:GW' --set batch=1
      some convolutions
  weft explain googlenet-u250
      at batch 256: the order found at batch 1, one run a step
  weft run results/explain-googlenet-u250/step-01-exact_bursts.yaml
      the run of a step; docs/explain.md says what is in the folder)");
  return command;
}

CLI::App* add_cache_command(CLI::App& app, CacheCommandOptions& options) {
  CLI::App* command = app.add_subcommand("cache", "What was simulated before, kept from one run to the next");
  command->add_option("ACTION", options.action, "show (unless given), or clear");
  command->add_option("--cache", options.directory, "The folder; unless given the user's cache folder")
      ->type_name("DIR");
  command->footer(R"(Examples:
  weft cache
      the folder, and how much of it is used
  weft cache clear
      simulate everything anew from here on

A convolution that was simulated on rung exact on the same kernel, memory and code is looked up, not simulated again;
run, timeline, explain, sweep and dse say so on standard error. Results are the same to the last byte. What was used
longest ago goes when the folder is full. Environment: WEFT_CACHE=DIR is another folder, WEFT_CACHE=none is none;
--no-cache is none for one command. --verify and --activity, weft bench, validate and cosim simulate everything.)");
  return command;
}

CLI::App* add_man(CLI::App& app, std::string& out) {
  CLI::App* command = app.add_subcommand("man", "Manual pages of weft and of each command, from what --help says");
  command->add_option("--out", out, "The folder that they are written to; made if it is not there")
      ->type_name("DIR")
      ->required();
  command->footer(R"(Examples:
  weft man --out ~/.local/share/man/man1
      man weft, man weft-run and so on; without installing: man -l DIR/weft-run.1)");
  return command;
}

CLI::App* add_completion(CLI::App& app, std::string& shell) {
  CLI::App* command =
      app.add_subcommand("completion", "A script that completes commands, options, names, keys and layers in a shell");
  command->add_option("SHELL", shell, "Of this shell: bash")->required();
  command->footer(R"help(Examples:
  eval "$(./weft completion bash)"
      in ~/.bashrc or at the prompt: ./weft run goo, Tab; --set kernel.po, Tab; --only inception3, Tab)help");
  return command;
}

// What the commands and their options are, for completion and manual pages.
CommandInfo described(const CLI::App& command) {
  CommandInfo info{command.get_name(), command.get_description(), command.get_footer(), {}};
  for (const CLI::Option* option : command.get_options()) {
    OptionInfo each;
    each.positional = option->get_positional() && option->get_lnames().empty();
    if (each.positional) {
      each.names.push_back(option->get_name());
    } else {
      for (const std::string& name : option->get_snames()) each.names.push_back("-" + name);
      for (const std::string& name : option->get_lnames()) each.names.push_back("--" + name);
    }
    if (option->get_items_expected_max() > 0) each.value = option->get_type_name();
    each.help = option->get_description();
    each.group = option->get_group() == "Options" ? "" : option->get_group();
    each.required = option->get_required();
    info.options.push_back(std::move(each));
  }
  return info;
}

std::vector<CommandInfo> described_commands(const CLI::App& app) {
  std::vector<CommandInfo> commands;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    commands.push_back(described(*command));
  }
  return commands;
}

int write_man_pages(const CLI::App& app, const std::string& out) {
  std::error_code code;
  std::filesystem::create_directories(out, code);
  if (code) throw Error(fmt::format("--out {}: {}", out, code.message()));
  const auto pages = man_pages(described_commands(app), app.get_description(), app.get_footer(), WEFT_VERSION);
  for (const auto& [name, text] : pages)
    OutputFile(std::filesystem::path(out) / name, "--out", kManPageMark).write(text);
  print(fmt::format("wrote        {} pages to {}; man -l {}\n", pages.size(), out,
                    os::shell_word((std::filesystem::path(out) / "weft.1").string())));
  return kOk;
}

int print_completion(const std::string& shell) {
  if (shell != "bash") throw Error(fmt::format("SHELL: must be bash, not '{}'", shell));
  print(bash_completion());
  return kOk;
}

using Chosen = std::function<int()>;

// A command with options of its own; `chosen` becomes what it does with them once they were read.
template <class Options>
void add(CLI::App& app, CLI::App* (*declare)(CLI::App&, Options&), int (*run)(const Options&), Chosen& chosen) {
  const auto options = std::make_shared<Options>();
  declare(app, *options)->callback([options, run, &chosen] { chosen = [options, run] { return run(*options); }; });
}

// CLI11's own message for a wrong command word is about unexpected arguments; this one says what was meant.
void check_command(const CLI::App& app, const std::string& word) {
  std::vector<std::string> known;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    known.push_back(command->get_name());
  }
  if (word == "test" || word == "install" || word == "build" || word == "python") {
    throw Error(fmt::format("'{0}' belongs to the launcher: run ./weft {0} at the root of the project", word));
  }
  if (std::find(known.begin(), known.end(), word) == known.end()) {
    throw Error(fmt::format("there is no command '{}'{}", word, config::suggestion(word, known)));
  }
}

// What is wrong with arguments that the command does not have: the first option among them is what was misspelt, and
// what follows it is only its value.
std::string unexpected(const CLI::App& command, const std::string& word) {
  const std::vector<std::string> rest = command.remaining();
  const auto option =
      std::find_if(rest.begin(), rest.end(), [](const std::string& each) { return each.size() > 1 && each[0] == '-'; });
  if (option == rest.end()) {
    return fmt::format("unexpected argument '{}' (see weft {}--help)", rest.empty() ? "" : rest.front(), word);
  }
  std::vector<std::string> known;
  for (const CLI::Option* each : command.get_options()) {
    for (const std::string& name : each->get_lnames()) known.push_back("--" + name);
  }
  const std::string given = option->substr(0, option->find('='));
  const std::string near = config::nearest(given, known);
  return fmt::format("unknown option {}{} (see weft {}--help)", given,
                     near.empty() ? "" : fmt::format("; did you mean {}?", near), word);
}

}  // namespace

std::function<int()> parse_command_line(int argc, char** argv) {
  CLI::App app("weft: a cycle-accurate simulator of CNN-training accelerators", "weft");
  app.set_version_flag("--version", WEFT_VERSION);
  app.require_subcommand(1);
  app.footer(
      R"(weft test [NAME] runs the project's tests, weft install [LIST] installs the packages that commands need,
weft python [FILE] starts Python with the module weft (the launcher ./weft does all three).

Start with:
  weft show googlenet-u250
  weft run conv-small
  weft run --help

Exit codes: 0 done, 2 wrong input, 3 the model cannot make progress, 1 an internal error, or a comparison that
failed (compare, cosim, validate, mutants).)");

  Chosen chosen;
  add(app, add_run, run_command, chosen);
  add(app, add_timeline, timeline_command, chosen);
  add(app, add_sweep, sweep_command, chosen);
  add(app, add_dse, dse_command, chosen);
  add(app, add_train, train_command, chosen);
  add(app, add_plan, plan_command, chosen);
  add(app, add_card, card_command, chosen);
  add(app, add_show, show_command, chosen);
  add(app, add_explain, explain_command, chosen);
  add(app, add_cache_command, cache_command, chosen);
  add(app, add_compare, compare_command, chosen);
  add(app, add_report, report_command, chosen);
  add(app, add_host_profile, host_profile_command, chosen);
  add(app, add_dram, dram_command, chosen);
  add(app, add_cosim, cosim_command, chosen);
  add(app, add_rtl, rtl_command, chosen);
  add(app, add_synth, synth_command, chosen);
  add(app, add_validate, validate_command, chosen);
  add(app, add_mutants, mutants_command, chosen);
  add(app, add_bench, bench_command, chosen);

  std::string pages, shell;
  add_man(app, pages)->callback([&] { chosen = [done = write_man_pages(app, pages)] { return done; }; });
  add_completion(app, shell)->callback([&] { chosen = [shell] { return print_completion(shell); }; });

  if (argc > 1 && std::string(argv[1]) == "__complete") {
    std::string found;
    for (const std::string& each : completions(described_commands(app), {argv + 2, argv + argc})) found += each + '\n';
    return [found] {
      print(found);
      return kOk;
    };
  }
  if (argc < 2) {
    os::say(app.help());
    return [] { return kUserError; };
  }
  for (int i = 1; i < argc; ++i) {
    if (find_non_utf8(argv[i]) != std::string::npos)
      throw Error(fmt::format("argument '{}' is not UTF-8 text", argv[i]));
  }
  const std::string word = argv[1];
  if (!word.empty() && word[0] != '-') check_command(app, word);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return [text = app.help()] {
      print(text);
      return kOk;
    };
  } catch (const CLI::CallForVersion&) {
    return [] {
      print(fmt::format("weft {}\n", WEFT_VERSION));
      return kOk;
    };
  } catch (const CLI::ExtrasError&) {
    const auto parsed = app.get_subcommands();
    throw Error(unexpected(parsed.empty() ? app : *parsed.front(), parsed.empty() ? "" : word + " "));
  } catch (const CLI::ParseError& error) {
    const auto parsed = app.get_subcommands();
    throw Error(fmt::format("{} (see weft {}--help)", error.what(), parsed.empty() ? "" : word + " "));
  }
  return chosen;
}

}  // namespace weft::tools
