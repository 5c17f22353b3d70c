#include <fmt/core.h>

#include "model/core/error.h"
#include "platform/catalogue/designs.h"
#include "platform/hardware/waves/fst_writer.h"
#include "platform/hardware/waves/wave_file.h"
#include "platform/os/content.h"
#include "platform/os/output_file.h"
#include "platform/os/temporary_folder.h"
#include "platform/run/watched.h"

namespace weft::run {

namespace fs = std::filesystem;

namespace {

constexpr const char* kWavesOption = "--waves";

fs::path save_file_of(const fs::path& file) {
  return fs::path(file).replace_extension(".gtkw");
}

class WrittenWaves : public RunWaves {
 public:
  WrittenWaves(const fs::path& file, const config::RunConfig& run, const fs::path& source, const fs::path& cache)
      : fst_(file, kWavesOption, waves::kFstVersion),
        gtkw_(save_file_of(file), kWavesOption, "[dumpfile] "),
        writer_(waves::WriterBuild(source, cache).make(scratch())),
        waves_(*writer_, design::design_of(run).topology()) {}

  stream::Observer& observer() override { return waves_; }
  void write() override {
    const bool whole = writer_->close();
    if (!whole) throw Error(fmt::format("{} {}: cannot be written", kWavesOption, fst_.path().string()));
    fst_.write(os::content(scratch()));
    gtkw_.write(waves_.gtkw(fst_.path().filename().string()));
  }

 private:
  fs::path scratch() const { return folder_.path() / "waves.fst"; }

  os::OutputFile fst_, gtkw_;
  os::TemporaryFolder folder_{fs::temp_directory_path(), "weft-waves-"};
  std::unique_ptr<waves::FstWriter> writer_;
  waves::WaveFile waves_;
};

}  // namespace

std::unique_ptr<RunWaves> open_waves(const std::string& file, const config::RunConfig& run, const fs::path& source,
                                     const fs::path& cache) {
  if (run.rung != config::Rung::SystemC) {
    throw Error(fmt::format("{} {}: waveforms need rung systemc, but this run is on rung {}: give --rung systemc",
                            kWavesOption, file, to_string(run.rung)));
  }
  waves::check_name(kWavesOption, file);
  return std::make_unique<WrittenWaves>(file, run, source, cache);
}

}  // namespace weft::run
