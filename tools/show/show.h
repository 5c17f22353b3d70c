#pragma once

#include <ctime>
#include <optional>
#include <string>

#include "platform/config/run_config.h"
#include "platform/document/table_view.h"
#include "platform/dse/explorer.h"
#include "platform/iteration/train/train_config.h"
#include "platform/iteration/training/trained_network.h"
#include "platform/studies/cluster/cluster.h"
#include "platform/studies/validate/link_validation.h"
#include "platform/studies/validate/validate_config.h"
#include "tools/cli/options.h"
#include "workloads/network.h"

namespace weft::tools {

// Argument of `weft show` for the schema of results.
inline constexpr const char* kResultsSchema = "schema";

// `weft show NETWORK --training`: operators of one training iteration with computation, traffic, and peak memory; as a
// table, JSON or CSV.
std::string show_training(const ShowOptions& options);

// Result in a list; missing values are empty.
struct ListedResult {
  std::string name, of, network, board, array, kernel, rung, made;
  std::optional<std::int64_t> batch, cycles;
  std::time_t time = 0;
};
void fields(record::Visitor& io, ListedResult& result);

// Lists the results in a folder, newest first: directories of run, timeline, dse, train and validate, and databases of
// sweep. Other files are ignored. Throws Error if there is none.
std::string list_results(const std::filesystem::path& folder, Format format);
bool has_results(const std::filesystem::path& folder);

// Description of everything weft prints and saves, key by key: type, unit and meaning. JSON: one JSON Schema with a
// definition per kind of result; CSV and table: one line per key.
report::Report results_schema();

// View of a saved result or of a database of weft sweep. `width`: of the terminal.
report::Document saved_view(const std::filesystem::path& path, std::size_t width = 120);
bool of_cluster(ResultKind kind);

// Descriptions of configurations for the user, a few aligned lines each.
std::string describe_run(const config::RunConfig& run);
std::string describe_exploration(const dse::Exploration& exploration);
std::string describe_training(const train::TrainConfig& training);
std::string describe_cluster(const cluster::Cluster& cluster);
std::string describe_validation(const validate::ValidateConfig& validation);
std::string describe_link_validation(const validate::LinkValidation& validation);
std::string describe_board(const config::Board& board);
std::string describe_host(const config::Host& host);
std::string describe_kernel(const config::Kernel& kernel);
std::string describe_network(const training::TrainedNetwork& trained);

}  // namespace weft::tools
