#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "platform/config/run_config.h"
#include "platform/config/schedule.h"
#include "platform/config/study.h"
#include "platform/document/report.h"
#include "platform/document/table_view.h"
#include "platform/dse/kernel_set.h"
#include "workloads/network.h"

namespace weft::dse {

// Called from time to time: what is being done, and how far it is.
using Progress = std::function<void(const std::string& phase, std::int64_t done, std::int64_t total)>;

// What an explorer asks of the rungs that simulate: the cycles of a run, all of its rows. `progress`: cycles done, of
// those expected.
using SimulatedCycles =
    std::function<Cycles(const config::RunConfig& run, const workloads::Network& network,
                         const std::function<void(std::int64_t done, std::int64_t expected)>& progress)>;

// An exploration, read and checked.
class Exploration {
 public:
  virtual ~Exploration() = default;

  virtual const std::string& name() const = 0;
  virtual const config::RunConfig& run() const = 0;
  // As one self-contained YAML file: reading it gives the identical exploration. `with_workers`: how many work on it
  // decides nothing of the result.
  virtual std::string resolved_yaml(bool with_workers) const = 0;
  // For people: its title, and a label and a text a line.
  virtual const std::string& title() const = 0;
  virtual std::vector<std::pair<std::string, std::string>> lines() const = 0;
  virtual std::string csv_head() const = 0;  // the first line of its CSV file
};

// What came of one.
class Explored {
 public:
  virtual ~Explored() = default;
};

// How a design is explored: the best kernel of each convolution, and the fewest kernels. Stateless.
class Explorer {
 public:
  virtual ~Explorer() = default;

  // Throws InputError.
  virtual std::unique_ptr<Exploration> load(const config::Study& study, const config::Library& library) const = 0;
  // Of an exploration's file, no more than finding the kernels that are wanted takes. Throws InputError at what is
  // wanted if there are none such.
  virtual void keep_only(config::Node& file, const config::KernelsOfDse& wanted) const = 0;
  // The result does not depend on the number of workers. Throws Error if no convolution has a kernel that fits, and
  // what simulating throws.
  virtual std::unique_ptr<Explored> explore(const Exploration& exploration, const workloads::Network& network,
                                            const SimulatedCycles& simulate, const Progress& progress) const = 0;
  // Of all that was explored; one file of several if there are several. `view`: of the tables.
  virtual report::Report report(const std::vector<const Explored*>& explored, const report::TableView& view) const = 0;
  // What a report on the exploration, as JSON, is of: report() gives the same again. `file`: where the JSON stands.
  // Throws InputError.
  virtual std::unique_ptr<Explored> read(const Exploration& exploration, const workloads::Network& network,
                                         const std::string& json, const std::string& file) const = 0;
  // The kernels that a report on one exploration, as JSON, has for `wanted`; all else of them (clock, profile, ports)
  // is as the kernel of `run` has it. `file`: where the JSON stands. Throws InputError: no such report, no such
  // penalty.
  virtual KernelSet kernel_set(const std::string& json, const std::string& file, const config::KernelsOfDse& wanted,
                               const config::RunConfig& run) const = 0;
};

}  // namespace weft::dse
