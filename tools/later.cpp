// What the program that the first command of a checkout builds leaves to the whole one: the launcher starts that for
// these commands, once it is built.
#include "model/core/error.h"
#include "tools/commands.h"
#include "tools/run_activity.h"
#include "tools/run_trace.h"
#include "tools/run_waves.h"
#include "tools/sweep_cluster.h"

namespace weft::tools {

namespace {

[[noreturn]] int later(const char* command) {
  throw Error(std::string("weft-first is built for run, timeline and sweep alone; start ./weft for ") + command);
}

}  // namespace

int bench_command(const BenchOptions&) {
  later("bench");
}
int card_command(const CardOptions&) {
  later("card");
}
int cluster_timeline_command(const TimelineOptions&) {
  later("timeline of a cluster");
}
std::unique_ptr<sweep::ClusterPlanner> cluster_planner() {
  later("sweep of a cluster");
}
int compare_command(const CompareOptions&) {
  later("compare");
}
int cosim_command(const CosimOptions&) {
  later("cosim");
}
int dram_command(const DramOptions&) {
  later("dram");
}
int dse_command(const DseOptions&) {
  later("dse");
}
int explain_command(const ExplainOptions&) {
  later("explain");
}
int host_profile_command(const HostProfileOptions&) {
  later("host-profile");
}
int mutants_command(const MutantsOptions&) {
  later("mutants");
}
int plan_command(const PlanOptions&) {
  later("plan");
}
int report_command(const ReportOptions&) {
  later("report");
}
// NOLINTNEXTLINE(performance-unnecessary-value-param): the other definition keeps it
RunActivity::RunActivity(std::string, const config::RunConfig& run) : run_(run) {
  later("run --activity");
}
std::string RunActivity::count(const std::vector<Cycles>&) const {
  return {};
}
void RunActivity::write(const std::string&) const {}
// NOLINTNEXTLINE(performance-unnecessary-value-param): the other definition keeps it
RunTrace::RunTrace(std::string, const config::RunConfig& run, const TraceWindow&) : run_(run) {
  later("run --perfetto");
}
void RunTrace::write() const {}
std::unique_ptr<RunWaves> open_waves(const std::string&, const config::RunConfig&) {
  later("run --waves");
}
int rtl_command(const RtlOptions&) {
  later("rtl");
}
int show_command(const ShowOptions&) {
  later("show");
}
int synth_command(const SynthOptions&) {
  later("synth");
}
int train_command(const TrainOptions&) {
  later("train");
}
int validate_command(const ValidateOptions&) {
  later("validate");
}

}  // namespace weft::tools
