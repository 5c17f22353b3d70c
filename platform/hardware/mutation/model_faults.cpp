#include "platform/hardware/mutation/model_faults.h"

#include <algorithm>
#include <fstream>
#include <map>

#include "model/core/error.h"
#include "platform/os/content.h"
#include "platform/os/process.h"

namespace weft::mutation {

namespace fs = std::filesystem;

namespace {

// Folders of a project that hold no sources.
const std::set<std::string> kNotCopied{"build", "results", ".git"};
constexpr int kMostSeconds = 900;  // of a test program: a fault may cause an endless loop
constexpr std::size_t kLogTail = 2000;

Tests read_tests(const config::Node& node, const std::string& path) {
  const std::string text = config::read_text(node, path);
  const std::size_t colon = text.find(':');
  Tests tests{text.substr(0, colon), colon == std::string::npos ? "" : text.substr(colon + 1)};
  if (tests.program.empty() || tests.program.find_first_of("/ '") != std::string::npos) {
    throw config::error_at(node.place, path, fmt::format("must be PROGRAM or PROGRAM:TESTS, not '{}'", text));
  }
  return tests;
}

void write(const fs::path& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (!out) throw Error(fmt::format("cannot write '{}'", path.string()));
}

// A copy of a project with its own build. Unchanged files keep their times, so that only changes are rebuilt.
class Copy {
 public:
  Copy(const fs::path& source, const fs::path& folder) : tree_(folder), build_(folder / "build/release") {
    fs::create_directories(tree_);
    log_ = build_ / "mutants.log";
    fs::create_directories(build_);
    mirror(source, tree_, true);
    if (!fs::exists(build_ / "build.ninja")) {
      run({"cmake", "-S", tree_.string(), "-B", build_.string(), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
           "-DWEFT_NATIVE=ON"},
          "cmake cannot configure the copy of the project");
    }
  }

  fs::path file(const Fault& fault) const { return tree_ / fault.file; }

  void build(const std::set<std::string>& programs, const std::string& what) {
    std::vector<std::string> words{"cmake", "--build", build_.string(), "--target"};
    words.insert(words.end(), programs.begin(), programs.end());
    run(words, what + " does not build");
  }

  bool pass(const Tests& tests) const {
    std::vector<std::string> words{"timeout", std::to_string(kMostSeconds), program(tests.program).string()};
    if (!tests.filter.empty()) words.push_back("--gtest_filter=" + tests.filter);
    return os::run({words}, log_) == 0;
  }
  std::string output() const { return os::content(log_); }

 private:
  static void mirror(const fs::path& from, const fs::path& to, bool root) {
    std::set<fs::path> names;
    for (const auto& entry : fs::directory_iterator(from)) {
      const fs::path name = entry.path().filename();
      if (root && kNotCopied.count(name.string()) != 0) continue;
      names.insert(name);
      if (entry.is_directory()) {
        fs::create_directories(to / name);
        mirror(entry.path(), to / name, false);
      } else if (entry.is_regular_file() && !same(entry.path(), to / name)) {
        fs::copy_file(entry.path(), to / name, fs::copy_options::overwrite_existing);
      }
    }
    std::vector<fs::path> gone;
    for (const auto& entry : fs::directory_iterator(to)) {
      const fs::path name = entry.path().filename();
      if (names.count(name) == 0 && !(root && kNotCopied.count(name.string()) != 0)) gone.push_back(entry.path());
    }
    for (const fs::path& path : gone) fs::remove_all(path);
  }
  static bool same(const fs::path& a, const fs::path& b) {
    return fs::exists(b) && fs::file_size(a) == fs::file_size(b) && os::content(a) == os::content(b);
  }

  fs::path program(const std::string& name) const {
    for (const auto& entry : fs::recursive_directory_iterator(build_)) {
      if (entry.path().filename() == name && entry.is_regular_file()) return entry.path();
    }
    throw Error(fmt::format("the build makes no program '{}'", name));
  }

  void run(const std::vector<std::string>& words, const std::string& failure) const {
    if (os::run({words}, log_) == 0) return;
    const std::string text = output();
    throw Error(
        fmt::format("{} ({}): {}", failure, log_.string(), text.substr(text.size() - std::min(text.size(), kLogTail))));
  }

  fs::path tree_, build_, log_;
};

// A fault in its file; the destructor restores the file.
class Planted {
 public:
  Planted(const Fault& fault, const fs::path& file) : file_(file), text_(os::content(file)) {
    write(file_, mutated(fault, text_));
  }
  ~Planted() { std::ofstream(file_, std::ios::binary | std::ios::trunc) << text_; }
  Planted(const Planted&) = delete;
  Planted& operator=(const Planted&) = delete;

 private:
  fs::path file_;
  std::string text_;
};

std::string name_of(const Tests& tests) {
  return tests.program + (tests.filter.empty() ? "" : ":" + tests.filter);
}

}  // namespace

namespace {

void model_fault_fields(config::MapIo& io, ModelFault& fault) {
  fault_fields(io, fault);
  io.text("equivalent", fault.equivalent);
  io.list<Tests>("tests", fault.tests, {read_tests, nullptr, config::schema::text}, config::Need::Required);
  if (const config::MapReader* const reader = io.reader()) {
    reader->finish();
    if (fault.tests.empty()) throw reader->error("tests", "must name at least one test program");
  }
}

}  // namespace

std::vector<ModelFault> load_model_faults(const fs::path& path) {
  return load_faults<ModelFault>(path, model_fault_fields);
}

config::Node describe_model_faults() {
  return describe_faults<ModelFault>(model_fault_fields);
}

std::vector<ModelFaultResult> run_model_faults(const std::vector<ModelFault>& faults, const fs::path& source,
                                               const fs::path& folder,
                                               const std::function<void(std::size_t done, std::size_t all)>& progress) {
  for (const ModelFault& fault : faults) check(fault, source);  // errors before the first build
  Copy copy(source, folder);
  std::set<std::string> programs;
  std::map<std::string, Tests> all;
  for (const ModelFault& fault : faults) {
    for (const Tests& tests : fault.tests) {
      programs.insert(tests.program);
      all.emplace(name_of(tests), tests);
    }
  }
  copy.build(programs, "the project without a fault");
  for (const auto& [name, tests] : all) {
    if (!copy.pass(tests)) {
      throw Error(fmt::format("{} fails without a fault, or ran for more than {} s", name, kMostSeconds));
    }
    if (copy.output().find("Running 0 tests") != std::string::npos) throw Error(fmt::format("{} runs no tests", name));
  }
  std::vector<ModelFaultResult> results;
  for (const ModelFault& fault : faults) {
    if (progress) progress(results.size(), faults.size());
    const Planted planted(fault, copy.file(fault));
    ModelFaultResult result{fault, ""};
    for (auto tests = fault.tests.begin(); tests != fault.tests.end() && result.noticed_by.empty(); ++tests) {
      copy.build({tests->program}, fmt::format("the project with the fault '{}'", fault.name));
      if (!copy.pass(*tests)) result.noticed_by = name_of(*tests);
    }
    results.push_back(std::move(result));
  }
  if (progress) progress(results.size(), faults.size());
  return results;
}

void fault_fields(config::MapIo& io, Fault& fault) {
  io.text("name", fault.name, config::Need::Required);
  io.text("what", fault.what, config::Need::Required);
  io.text("file", fault.file, config::Need::Required);
  io.text("old", fault.old_text, config::Need::Required);
  io.text("new", fault.new_text, config::Need::Required);
  if (const config::MapReader* const reader = io.reader(); reader && fault.old_text == fault.new_text) {
    throw reader->error("new", "must differ from 'old'");
  }
}

std::string mutated(const Fault& fault, const std::string& text) {
  const std::size_t at = text.find(fault.old_text);
  if (at == std::string::npos || text.find(fault.old_text, at + 1) != std::string::npos) {
    throw Error(fmt::format("fault '{}': its old text occurs {} in {}, but must occur exactly once", fault.name,
                            at == std::string::npos ? "nowhere" : "more than once", fault.file));
  }
  return text.substr(0, at) + fault.new_text + text.substr(at + fault.old_text.size());
}

void check(const Fault& fault, const std::filesystem::path& folder) {
  mutated(fault, os::content(folder / fault.file));
}

}  // namespace weft::mutation
