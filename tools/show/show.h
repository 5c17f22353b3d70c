#pragma once

#include <ctime>
#include <string>

#include "platform/config/run_config.h"
#include "platform/document/table_view.h"
#include "platform/dse/explorer.h"
#include "platform/iteration/train/train_config.h"
#include "platform/studies/cluster/cluster.h"
#include "platform/studies/validate/link_validation.h"
#include "platform/studies/validate/validate_config.h"
#include "tools/cli/options.h"
#include "workloads/network.h"

namespace weft::tools {

// `weft show NETWORK --training`: the operators of one training iteration with what they compute and move, and the peak
// of memory; as a table, JSON or CSV.
std::string show_training(const ShowOptions& options);

// A result in a list; what it has none of is empty.
struct ListedResult {
  std::string name, of, network, board, array, kernel, batch, rung, cycles, made;
  std::time_t time = 0;
};
void fields(record::Visitor& io, ListedResult& result);

// What results lie in a folder, newest first: those of run, timeline, dse, train and validate (directories), and of
// sweep (databases). What lies beside them is left alone. Throws Error if there is none.
std::string list_results(const std::filesystem::path& folder, Format format);
bool has_results(const std::filesystem::path& folder);

// What weft prints and saves, key by key: type, unit and meaning. As JSON one JSON Schema, with a definition for each
// kind of result; as CSV and as a table a line for each key.
report::Report results_schema();

// A saved result, or a database of weft sweep. `width`: of a terminal.
report::Document saved_view(const std::filesystem::path& path, std::size_t width = 120);
bool of_cluster(ResultKind kind);

// What a configuration says, for a reader: a few aligned lines each.
std::string describe_run(const config::RunConfig& run);
std::string describe_exploration(const dse::Exploration& exploration);
std::string describe_training(const train::TrainConfig& training);
std::string describe_cluster(const cluster::Cluster& cluster);
std::string describe_validation(const validate::ValidateConfig& validation);
std::string describe_link_validation(const validate::LinkValidation& validation);
std::string describe_board(const config::Board& board);
std::string describe_host(const config::Host& host);
std::string describe_kernel(const config::Kernel& kernel);
std::string describe_network(const workloads::Network& network);

}  // namespace weft::tools
