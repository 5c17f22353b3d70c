// Every header and library of the build, and every program that weft and its tests start, belongs to a package of the
// lists or of their dependencies: packages that are installed here by chance must not hide a gap in a list.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "platform/designs/fpgpt/cosim/kernel_case.h"
#include "platform/hardware/synth/yosys.h"
#include "platform/hardware/waves/fst_writer.h"
#include "platform/iteration/host/runner_build.h"
#include "tests/support/run_binary.h"
#include "tests/support/texts.h"

namespace weft {
namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;
using test::split;

const fs::path kSource = WEFT_SOURCE_DIR, kBuild = WEFT_BUILD_DIR;

std::string output_of(const std::string& program, const std::vector<std::string>& arguments) {
  const test::Outcome outcome = test::run_program("/usr/bin/" + program, arguments, kSource);
  EXPECT_EQ(outcome.exit_code, 0) << program << ": " << outcome.err;
  return outcome.out;
}

// Returns the name alone of "libc6 (>= 2.34)" or " perl:any".
std::string package_name(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_first_of(" :(", begin) - begin);
}

// The installed packages and their dependencies.
class Debian {
 public:
  Debian() {
    const std::string format =
        "${Package}\t${db:Status-Status}\t${Essential}\t${Pre-Depends},${Depends}\t${Provides}\n";
    for (const std::string& line : split(output_of("dpkg-query", {"--show", "--showformat=" + format}))) {
      const std::vector<std::string> fields = split(line + "\t.", '\t');
      if (fields[1] != "installed") continue;
      for (const std::string& need : split(fields[3], ',')) {
        if (!package_name(need).empty()) needs_[fields[0]].push_back(split(need, '|'));
      }
      needs_[fields[0]];
      for (const std::string& provided : split(fields[4], ',')) providers_[package_name(provided)].insert(fields[0]);
      if (fields[2] == "yes") base_.insert(fields[0]);
    }
  }

  // Returns the packages of a machine on which apt has installed these lists: mmdebstrap --variant=apt, and the lists.
  Names closure(const std::vector<std::string>& lists) const {
    std::vector<std::string> open(base_.begin(), base_.end());
    open.emplace_back("apt");
    for (const std::string& list : lists) {
      for (const std::string& line : split(test::read_text_file(kSource / list))) {
        if (!line.empty() && line[0] != '#') open.push_back(package_name(line));
      }
    }
    Names all;
    while (!open.empty()) {
      const std::string name = open.back();
      open.pop_back();
      if (!all.insert(name).second) continue;
      const auto found = needs_.find(name);
      if (found == needs_.end()) continue;
      for (const auto& alternatives : found->second) {
        const Names chosen = choice(alternatives);
        open.insert(open.end(), chosen.begin(), chosen.end());
      }
    }
    return all;
  }

  // Returns their files, without symbolic links between folders.
  static Names files(const Names& packages) {
    std::vector<std::string> arguments{"--listfiles"};
    for (const std::string& name : packages) arguments.push_back(name);
    Names all;
    // dpkg-query complains of names that are not installed, such as virtual ones; their files are then missing here.
    const test::Outcome listed = test::run_program("/usr/bin/dpkg-query", arguments, kSource);
    for (std::string& path : split(listed.out)) {
      for (const char* merged : {"/bin/", "/sbin/", "/lib/", "/lib64/"}) {
        if (path.rfind(merged, 0) == 0) path.insert(0, "/usr");
      }
      all.insert(std::move(path));
    }
    return all;
  }

 private:
  // Returns apt's choice for "a | b": the first one available; for a virtual package, its installed providers.
  Names choice(const std::vector<std::string>& alternatives) const {
    for (const std::string& text : alternatives) {
      const std::string name = package_name(text);
      if (needs_.count(name) > 0) return {name};
      const auto found = providers_.find(name);
      if (found != providers_.end()) return found->second;
    }
    return {};
  }

  std::map<std::string, std::vector<std::vector<std::string>>> needs_;  // alternatives, for each dependency
  std::map<std::string, Names> providers_;
  Names base_;
};

constexpr std::size_t kMostStrangers = 20;

// Returns the files of `wanted` that belong to no package of `lists`, each with its package here; at most
// kMostStrangers.
Names strangers(const Names& wanted, const std::vector<std::string>& lists) {
  const Names files = Debian::files(Debian().closure(lists));
  Names result;
  for (const std::string& path : wanted) {
    std::error_code code;
    const fs::path real = fs::canonical(path, code);
    if (code || files.count(real) > 0) continue;
    if (result.size() == kMostStrangers) break;  // a query takes a while
    const test::Outcome owner = test::run_program("/usr/bin/dpkg-query", {"--search", real}, kSource);
    result.insert(owner.exit_code == 0 ? owner.out : real.string() + ", of no package\n");
  }
  return result;
}

bool of_the_project(const std::string& path) {
  const auto within = [&](const fs::path& folder) { return path.rfind(folder.string() + "/", 0) == 0; };
  return path.empty() || path[0] != '/' || within(kSource) || within(kBuild);
}

const std::vector<std::string> kRun{"packages.txt"}, kCosim{"packages.txt", "packages-cosim.txt"},
    kCard{"packages.txt", "packages-card.txt"}, kSynth{"packages.txt", "packages-synth.txt"},
    kProfile{"packages.txt", "packages-profile.txt"}, kTrain{"packages.txt", "packages-card.txt", "packages-torch.txt"},
    kPython{"packages.txt", "packages-python.txt"}, kBench{"packages.txt", "packages-bench.txt"},
    kAll{"packages.txt",       "packages-bench.txt",   "packages-card.txt",    "packages-cosim.txt",
         "packages-docs.txt",  "packages-package.txt", "packages-profile.txt", "packages-python.txt",
         "packages-synth.txt", "packages-test.txt",    "packages-torch.txt"};

class Packages : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists("/usr/bin/dpkg-query")) GTEST_SKIP() << "this is no Debian";
  }
};

TEST_F(Packages, EveryListIsTested) {
  Names there;
  for (const auto& entry : fs::directory_iterator(kSource)) {
    const std::string name = entry.path().filename();
    if (name.rfind("packages", 0) == 0) there.insert(name);
  }
  EXPECT_EQ(there, Names(kAll.begin(), kAll.end()));
}

// "NAME PROBE # reason": where there is no dpkg, the launcher checks for the probe instead of the package.
TEST_F(Packages, EveryProbeIsAProgramOrHeaderOfItsList) {
  int probes = 0;
  for (const std::string& list : kAll) {
    Names found;
    for (const std::string& line : split(test::read_text_file(kSource / list))) {
      std::string name, probe;
      std::istringstream(line.substr(0, line.find('#'))) >> name >> probe;
      if (probe.empty()) continue;
      const bool header = probe.find_first_of("./") != std::string::npos;
      const fs::path first = fs::path(header ? "/usr/include" : "/usr/bin") / probe;
      const fs::path path = header || fs::exists(first) ? first : fs::path("/usr/sbin") / probe;
      EXPECT_TRUE(fs::exists(path)) << line;
      found.insert(path);
      ++probes;
    }
    EXPECT_EQ(strangers(found, {list}), Names{});
  }
  EXPECT_GT(probes, 30);
}

// ninja -t deps: an object, then its files, indented. Only mpirun needs weft_mpi, and a run does not need it.
TEST_F(Packages, EveryHeaderThatTheBuildReadIsOfAListedPackage) {
  Names tool, train, bench, tests;
  Names* target = nullptr;
  for (const std::string& line : split(output_of("ninja", {"-C", kBuild, "-t", "deps"}))) {
    if (line.empty() || line.rfind("ninja:", 0) == 0) continue;
    if (line[0] != ' ') {
      const bool of_tests = line.rfind("tests/", 0) == 0 || line.find("weft_mpi") != std::string::npos;
      target = of_tests                       ? &tests
               : line.rfind("torch/", 0) == 0 ? &train
               : line.rfind("bench/", 0) == 0 ? &bench
                                              : &tool;
    } else if (const std::string path = line.substr(line.find_first_not_of(' ')); !of_the_project(path)) {
      target->insert(path);
    }
  }
  ASSERT_GT(tool.size(), 100U);
  ASSERT_GT(tests.size(), 100U);
  ASSERT_GT(train.size(), 100U);
  ASSERT_GT(bench.size(), 100U);
  EXPECT_EQ(strangers(tool, kRun), Names{});
  EXPECT_EQ(strangers(train, kTrain), Names{});
  EXPECT_EQ(strangers(bench, kBench), Names{});
  EXPECT_EQ(strangers(tests, kAll), Names{});
}

TEST_F(Packages, EveryLibraryThatIsLinkedIsOfAListedPackage) {
  const auto libraries = [](const std::vector<std::string>& question) {
    Names all;
    for (const std::string& line : split(output_of("ninja", question))) {
      const std::string path = line.substr(std::min(line.find('/'), line.size()));  // query puts bars before some
      const std::string name = fs::path(path).filename();
      const bool library = name.rfind("lib", 0) == 0 && (name.find(".so") != name.npos || name.find(".a") != name.npos);
      if (library && !of_the_project(path)) all.insert(path);
    }
    return all;
  };
  const Names tool = libraries({"-C", kBuild, "-t", "query", "tools/weft"}),
              all = libraries({"-C", kBuild, "-t", "inputs", "all"});
  ASSERT_GT(tool.size(), 5U);
  ASSERT_GT(all.size(), tool.size());
  EXPECT_EQ(strangers(tool, kRun), Names{});
  EXPECT_EQ(strangers(all, kAll), Names{});
}

// A folder that serves as the whole PATH: a stand-in for every program of the machine that records its name and starts
// it. Instead of compiling, g++ records the headers and leaves an empty file.
class Recorder {
 public:
  Recorder() {
    if (const char* const path = std::getenv("PATH")) path_ = path;
    const fs::path stand_in = folder_.write("stand-in", fmt::format(R"sh(#!/bin/sh
name=${{0##*/}}
echo "$name" >>'{0}'
if [ "$name" = g++ ]; then
  out= compile=
  for word; do
    shift
    case $word in
      -o) out=next ;;
      -c) compile=-M ;;
      -MMD) ;;
      *) if [ "$out" = next ]; then out=$word; else set -- "$@" "$word"; fi ;;
    esac
  done
  if [ -n "$compile" ]; then /usr/bin/g++ "$@" -M -MF - >>'{1}' || exit; fi
  if [ -n "$out" ]; then : >"$out"; exit; fi
fi
for folder in /usr/bin /usr/sbin; do
  if [ -x "$folder/$name" ]; then exec "$folder/$name" "$@"; fi
done
)sh",
                                                                    started().string(), headers().string()));
    fs::permissions(stand_in, fs::perms::owner_all);
    for (const char* folder : {"/usr/bin", "/usr/sbin"}) {
      for (const auto& entry : fs::directory_iterator(folder)) {
        std::error_code there;
        fs::create_directories(folder_.path() / "bin");
        fs::create_symlink(stand_in, folder_.path() / "bin" / entry.path().filename(), there);
      }
    }
    ::setenv("PATH", (folder_.path() / "bin").c_str(), 1);
  }
  ~Recorder() { ::setenv("PATH", path_.c_str(), 1); }
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // Returns the programs that were started, with the interpreters of those that are scripts.
  Names programs() const {
    Names all;
    for (const std::string& name : split(test::read_text_file(started()))) {
      const fs::path program = fs::path(fs::exists("/usr/bin/" + name) ? "/usr/bin" : "/usr/sbin") / name;
      all.insert(program);
      const std::string first = split(test::read_text_file(program) + "\n").front();
      if (first.rfind("#!", 0) == 0) all.insert(split(first.substr(first.find('/')), ' ').front());
    }
    return all;
  }
  Names headers_read() const {
    Names all;
    std::istringstream in(test::read_text_file(headers()));
    for (std::string word; in >> word;) {
      if (word[0] == '/') all.insert(word);
    }
    return all;
  }

 private:
  fs::path started() const { return folder_.path() / "started"; }
  fs::path headers() const { return folder_.path() / "headers"; }

  test::TemporaryDirectory folder_;
  std::string path_;
};

Names names_of(const Names& paths) {
  Names names;
  for (const fs::path path : paths) names.insert(path.filename());
  return names;
}

bool contains(const Names& all, const Names& some) {
  return std::includes(all.begin(), all.end(), some.begin(), some.end());
}

// Checks a library that is compiled on first use: `make` must load it. `some` are among its headers, and `started`
// among the programs.
template <class Make>
void expect_listed(const Make& make, const Names& some, const std::vector<std::string>& lists,
                   const Names& started = {}) {
  const test::TemporaryDirectory cache;
  const Recorder recorder;
  ASSERT_TRUE(test::fails([&] { make(cache.path()); }, "cannot load"));
  Names headers;
  for (const std::string& path : recorder.headers_read()) {
    if (!of_the_project(path)) headers.insert(path);
  }
  EXPECT_TRUE(contains(names_of(headers), some)) << fmt::format("{}", headers);
  const Names programs = recorder.programs();
  EXPECT_TRUE(contains(names_of(programs), started)) << fmt::format("{}", programs);
  EXPECT_EQ(strangers(programs, lists), Names{});
  EXPECT_EQ(strangers(headers, lists), Names{});
}

TEST_F(Packages, EveryProgramAndHeaderOfABuildOfTheRtlIsOfAListedPackage) {
  fpgpt::Alpha alpha;
  alpha.x = alpha.y = 1;
  alpha.z = 12;
  alpha.bus_bits = 64;
  alpha.z_channel = alpha.k_range = 96;
  alpha.kern_words = 512;
  alpha.out_words = 4096;
  cosim::BuildOptions options;
  options.waves = true;
  const auto make = [&](const fs::path& cache) {
    const cosim::RtlBuild build(fpgpt::hardware(alpha, 1), {kSource, cache}, options);
  };
  expect_listed(make, {"verilated.h", "verilated_fst_c.h", "zlib.h"}, kCosim, {"g++", "make", "perl", "verilator"});
}

TEST_F(Packages, EveryProgramAndHeaderOfTheRunnerOfOperatorsIsOfAListedPackage) {
  const auto make = [](const fs::path& cache) { const host::RunnerBuild build(kSource, cache); };
  expect_listed(make, {"dnnl.hpp", "omp.h"}, kProfile);
}

TEST_F(Packages, EveryProgramAndHeaderOfWhatWritesWaveformsIsOfAListedPackage) {
  const auto make = [](const fs::path& cache) { const waves::WriterBuild build(kSource, cache); };
  expect_listed(make, {"fstapi.c", "lz4.c", "zlib.h"}, kCosim);
}

// Returns the files of these modules of Debian's Python.
Names files_of_modules(const std::vector<std::string>& names) {
  const std::string program =
      fmt::format("import {}\nfor each in {}: print(each.__file__)", fmt::join(names, ", "), fmt::join(names, ", "));
  Names all;
  for (const std::string& path : split(output_of("python3", {"-c", program}))) all.insert(path);
  return all;
}

TEST_F(Packages, EveryModuleOfPythonIsOfAListedPackage) {
  EXPECT_EQ(strangers(files_of_modules({"pandas", "matplotlib"}), kPython), Names{});
  EXPECT_EQ(strangers(files_of_modules({"nbclient", "nbformat", "ipykernel", "matplotlib_inline", "jsonschema"}), kAll),
            Names{});
}

TEST_F(Packages, YosysIsOfAListedPackage) {
  const Recorder recorder;
  synth::yosys_version();
  EXPECT_EQ(recorder.programs(), Names{"/usr/bin/yosys"});
  EXPECT_EQ(strangers(recorder.programs(), kSynth), Names{});
}

// XRT's shim starts the program that unpacks an xclbin.
TEST_F(Packages, EveryProgramThatACardRunStartsIsOfAListedPackage) {
  const test::TemporaryDirectory folder;
  const Recorder recorder;
  const test::Outcome outcome = test::run_program(
      WEFT_BINARY,
      {"card", WEFT_SOURCE_DIR "/tests/hosts/card.yaml", "--xclbin", "card.xclbin", "--", WEFT_HOST, "card.xclbin"},
      folder.path());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const Names programs = recorder.programs();
  EXPECT_TRUE(contains(names_of(programs), {"chmod", "unzip"})) << fmt::format("{}", programs);
  EXPECT_EQ(strangers(programs, kCard), Names{});
  EXPECT_EQ(strangers({WEFT_SHIM, WEFT_OPENCL}, kCard), Names{});
}

// The parts of the tests' Slurm, and the programs of Slurm and MPI that sweeps start.
TEST_F(Packages, EveryProgramOfTheTestsIsOfAListedPackage) {
  const test::TemporaryDirectory folder;
  const Recorder recorder;
  std::string place = "/tmp/weft-slurm-XXXXXX";
  ASSERT_NE(::mkdtemp(place.data()), nullptr);
  const test::Outcome outcome =
      test::run_program(WEFT_SOURCE_DIR "/tests/support/slurm_node.sh",
                        {place, "/bin/sh", "-c", "squeue; sbatch --version; mpirun --version"}, folder.path(),
                        {"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"});
  fs::remove_all(place);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const Names programs = recorder.programs();
  EXPECT_TRUE(contains(names_of(programs), {"mpirun", "munged", "sbatch", "slurmctld", "slurmd", "squeue"}))
      << fmt::format("{}", programs);
  EXPECT_EQ(strangers(programs, kAll), Names{});
}

}  // namespace
}  // namespace weft
