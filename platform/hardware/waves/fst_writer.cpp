#include "platform/hardware/waves/fst_writer.h"

#include <fmt/core.h>

#include <string_view>

#include "model/core/error.h"
#include "platform/os/jit_library.h"
#include "platform/os/process.h"

namespace weft::waves {

namespace fs = std::filesystem;

namespace {

// Include option of Verilator's headers; fstapi.c is in their folder gtkwave/.
std::string include_of_verilator() {
  std::string root = os::output_of({{"verilator", "--getenv", "VERILATOR_ROOT"}}).text;
  root.resize(root.find_last_not_of(" \n") + 1);
  return "-I" + root + "/include";
}

os::JitLibrary library() {
  return {"the waveform writer",
          "cosim",
          {"platform/hardware/waves/fst_library.cpp", "platform/hardware/waves/fst_writer.h"},
          // Mostly GTKWave's code: not subject to weft's warnings, symbols hidden.
          {"-std=c++17", "-O2", "-fPIC", "-w", "-fvisibility=hidden"},
          {"-lz", "-pthread"},
          {},
          [] {
            const std::string include = include_of_verilator();
            return std::vector<std::string>{include, include + "/gtkwave"};
          }};
}

}  // namespace

std::string marked_fst(std::string fst) {
  constexpr std::string_view kVerilators = "fstWriter";  // in a field of 128 bytes, zeros after it
  std::string version = kFstVersion;
  version.resize(kVerilators.size());
  if (const std::size_t at = fst.find(kVerilators); at < 1024) fst.replace(at, version.size(), version);
  return fst;
}

WriterBuild::WriterBuild(const fs::path& source, const fs::path& cache)
    : make_(reinterpret_cast<MakeFstWriter>(os::load(library(), source, cache, kMakeFstWriter))),
      names_(reinterpret_cast<FstNames>(os::load(library(), source, cache, kFstNames))) {}

std::unique_ptr<FstWriter> WriterBuild::make(const fs::path& file) const {
  std::unique_ptr<FstWriter> writer(make_(file.c_str()));
  if (!writer) throw Error(fmt::format("cannot write '{}'", file.string()));
  return writer;
}

std::vector<std::string> WriterBuild::names(const fs::path& file) const {
  std::vector<std::string> names;
  if (!names_(file.c_str(), &names)) throw Error(fmt::format("cannot read '{}'", file.string()));
  return names;
}

}  // namespace weft::waves
