#include "platform/studies/validate/validate_config.h"

#include <fmt/core.h>

#include <algorithm>

#include "platform/catalogue/designs.h"
#include "platform/config/compose.h"
#include "platform/config/reader.h"
#include "platform/config/selection.h"

namespace weft::validate {

using config::FileKind;
using config::Need;
using config::Node;

namespace {

constexpr double kLargestPercent = 1e6;
constexpr std::int64_t kMostWorst = 100000;

const config::Names<Rung>& rungs() {
  static const config::Names<Rung> names{
      {"analytical", Rung::Analytical}, {"systemc", Rung::SystemC}, {"exact", Rung::Exact}, {"rtl", Rung::Rtl}};
  return names;
}

void published_fields(config::MapIo& io, ValidateConfig& validate) {
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    const char* key = conv::to_string(static_cast<conv::Kind>(kind));
    io.optional_map(key, validate.published[kind], [](config::MapIo& sub, PublishedFigures& figures) {
      sub.real("mean", figures.mean, -kLargestPercent, kLargestPercent, Need::Required);
      sub.real("sd", figures.sd, 0, kLargestPercent, Need::Required);
      sub.real("max", figures.max, -kLargestPercent, kLargestPercent, Need::Required);
      sub.real("min", figures.min, -kLargestPercent, kLargestPercent, Need::Required);
    });
  }
  io.text("source", validate.published_source);
}

// Keys of a file other than the run and the kernels.
void fields(config::MapIo& io, ValidateConfig& validate) {
  config::experiment_fields(io);
  io.mention("runs", [] { return config::schema::list_of(config::schema::file("run")); });
  io.mention("kernels", [] { return config::schema::list_of(config::schema::file("kernel")); });
  io.text("name", validate.name);
  io.text("title", validate.title);
  io.map("rungs", Need::Optional, [&](config::MapIo& sub) {
    sub.choice("model", validate.model, rungs());
    sub.choice("against", validate.against, rungs());
    if (const config::MapReader* const reader = sub.reader(); reader && validate.model == validate.against) {
      throw reader->error("against",
                          fmt::format("is '{}', the same as 'model': choose two rungs", to_string(validate.against)));
    }
  });
  io.map("published", Need::Optional, [&](config::MapIo& sub) { published_fields(sub, validate); });
  io.optional_map("limits_percent", validate.limits, [](config::MapIo& sub, Limits& limits) {
    sub.real("total", limits.total, 0, kLargestPercent);
    sub.real("convolution", limits.convolution, 0, kLargestPercent);
  });
  io.real("tolerance_percent", validate.tolerance_percent, 0, kLargestPercent);
  io.real("tolerance_cycles_percent", validate.tolerance_cycles_percent, 0, kLargestPercent);
  io.integer("worst", validate.worst, 0, kMostWorst);
  io.value("baseline", validate.baseline, config::form::path());
}

std::string label_of(const Node* entry, const config::Kernel& kernel) {
  if (entry && entry->kind == Node::Kind::Scalar) return entry->text;
  const Node* name = entry ? entry->find("name") : nullptr;
  return name ? config::read_text(*name, "kernels.name") : kernel.text().shape;
}

KernelRun kernel_run(const Node& base, const Node* entry, bool several_runs, const config::Library& library) {
  Node node = base;
  if (entry) node = config::merge(std::move(node), config::overlay_of(FileKind::Run, "kernel", *entry, library), "");
  KernelRun kernel;
  kernel.run = design::read_run(std::move(node));
  kernel.run.mode = config::Mode::Timing;
  // resolved_yaml() writes each of several runs with its kernel, whose name is that in `kernels`.
  const bool by_name = several_runs && !entry && !kernel.run.kernel->name.empty();
  kernel.label = by_name ? kernel.run.kernel->name : label_of(entry, *kernel.run.kernel);
  const std::shared_ptr<config::Kernel> named = kernel.run.kernel->copy();
  named->name = kernel.label;
  kernel.run.kernel = named;
  if (several_runs) kernel.label = kernel.run.name + "/" + kernel.label;
  return kernel;
}

// Adds the kernels of a run. `item`: the run in the list `runs`; null: the only run. `entries`: the list `kernels`;
// null: the run's kernel.
void add_kernels(std::vector<KernelRun>& kernels, const Node& run, const Node* item, const Node* entries,
                 const config::Library& library) {
  const std::size_t count = entries ? entries->children.size() : 1;
  for (std::size_t i = 0; i < count; ++i) {
    const Node* const entry = entries ? &entries->children[i] : nullptr;
    if (entry && entry->kind != Node::Kind::Scalar) config::expect_map(*entry, "kernels");
    KernelRun kernel = kernel_run(run, entry, item != nullptr, library);
    const config::Place place = item ? item->place : entry ? entry->place : run.place;
    for (const KernelRun& other : kernels) {
      std::string problem;
      const std::string design = other.run.kernel->design(), mine = kernel.run.kernel->design();
      if (mine != design) {
        problem = fmt::format("'{}' is of design {}, '{}' of {}; a validation compares kernels of one design",
                              other.label, design, kernel.label, mine);
      }
      if (other.label == kernel.label) {
        problem = fmt::format("two kernels are called '{}'; give one another name", kernel.label);
      }
      if (!problem.empty()) throw config::error_at(place, item ? "runs" : "kernels", problem);
    }
    kernels.push_back(std::move(kernel));
  }
}

std::vector<KernelRun> read_kernels(config::Experiment experiment, const config::Library& library) {
  const Node file = experiment.file;
  const Node *const entries = file.find("kernels"), *const runs = file.find("runs");
  if (entries && config::expect_list(*entries, "kernels").children.empty()) {
    throw config::error_at(entries->place, "kernels", "is empty; leave it out to use the kernel of the run");
  }
  std::vector<KernelRun> kernels;
  if (!runs) {
    add_kernels(kernels, experiment.composed_run(library), nullptr, entries, library);
    return kernels;
  }
  if (const Node* const run = file.find("run")) {
    throw config::error_at(run->place, "run", "is one run and 'runs' are several: give one of the two keys");
  }
  for (const Node& each : config::expect_list(*runs, "runs").children) {
    experiment.file.set("run", each);
    add_kernels(kernels, experiment.composed_run(library), &each, entries, library);
  }
  if (kernels.empty()) throw config::error_at(runs->place, "runs", "is empty; give the runs to validate");
  return kernels;
}

void keep(std::vector<KernelRun>& kernels, const std::string& patterns) {
  if (patterns.empty()) return;
  std::vector<std::string> known;
  known.reserve(kernels.size());
  for (const KernelRun& kernel : kernels) known.push_back(kernel.label);
  std::vector<KernelRun> kept;
  for (std::size_t begin = 0; begin <= patterns.size();) {
    const std::size_t end = std::min(patterns.find(',', begin), patterns.size());
    const std::string pattern = patterns.substr(begin, end - begin);
    bool any = false;
    for (const KernelRun& kernel : kernels) {
      if (!config::matches_glob(pattern, kernel.label) && !config::matches_glob(pattern, kernel.run.kernel->name)) {
        continue;
      }
      any = true;
      const auto same = [&](const KernelRun& one) { return one.label == kernel.label; };
      if (std::none_of(kept.begin(), kept.end(), same)) kept.push_back(kernel);
    }
    if (!any)
      throw Error(fmt::format("--kernel: no kernel is called '{}'{}", pattern, config::suggestion(pattern, known)));
    begin = end + 1;
  }
  kernels = std::move(kept);
}

void require_memory(const ValidateConfig& validate) {
  const bool simulates = validate.model != Rung::Analytical || validate.against != Rung::Analytical;
  if (!simulates) return;
  for (const KernelRun& kernel : validate.kernels) config::require_simulated_memory(kernel.run);
}

bool simulates_both(const ValidateConfig& validate) {
  return validate.model != Rung::Analytical && validate.against != Rung::Analytical;
}

ValidateConfig read_validate(const config::Experiment& experiment, const std::string& kernels,
                             const config::Library& library) {
  // The file's own keys first: a misspelt one is reported before errors of the run.
  ValidateConfig validate;
  config::MapReader reader(experiment.file, "");
  fields(reader, validate);
  reader.finish();
  if (experiment.another_network()) {
    validate.published = {};
    validate.published_source.clear();
  }
  validate.several_runs = experiment.file.find("runs") != nullptr;
  validate.kernels = read_kernels(experiment, library);
  keep(validate.kernels, kernels);
  require_memory(validate);
  return validate;
}

}  // namespace

const char* to_string(Rung rung) {
  for (const auto& name : rungs()) {
    if (name.second == rung) return name.first;
  }
  return "?";
}

config::Node describe_validate() {
  return config::describe_map(ValidateConfig{}, [](config::MapIo& io, ValidateConfig& each) { fields(io, each); });
}

ValidateConfig load_validate(const std::string& name_or_path, const std::vector<config::Override>& overrides,
                             const std::string& kernels, const config::Library& library) {
  return read_validate(config::load_experiment(FileKind::Validate, name_or_path, overrides, library), kernels, library);
}

ValidateConfig validate_run(const std::filesystem::path& run, const std::vector<config::Override>& overrides,
                            const std::string& kernels, const config::Library& library) {
  const config::Experiment experiment = config::experiment_of_run(FileKind::Validate, run, overrides, library);
  ValidateConfig validate = read_validate(experiment, kernels, library);
  const config::RunConfig& about = validate.kernels.front().run;
  if (validate.name.empty()) validate.name = about.name;
  if (validate.title.empty()) validate.title = about.title;
  if (!validate.limits) validate.limits = simulates_both(validate) ? Limits{0, 0} : Limits{};
  return validate;
}

std::string resolved_yaml(const ValidateConfig& config) {
  ValidateConfig copy = config;
  config::MapWriter writer;
  fields(writer, copy);
  Node node = writer.take();
  Node runs = config::list_node(), kernels = config::list_node();
  for (const KernelRun& kernel : config.kernels) {
    runs.children.push_back(config::write_run(kernel.run));
    if (const Node* one = runs.children.back().find("kernel")) kernels.children.push_back(*one);
  }
  if (config.several_runs) {
    node.set("runs", runs);
  } else {
    node.set("run", runs.children.front());
    node.set("kernels", kernels);
  }
  return config::to_yaml(node);
}

std::string deciding_yaml(ValidateConfig config) {
  config.baseline.clear();
  for (KernelRun& kernel : config.kernels) kernel.run.workers.reset();
  return resolved_yaml(config);
}

}  // namespace weft::validate
