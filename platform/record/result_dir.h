#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace weft::record {

// Directory of a result, which appears complete or not at all. It may be new, empty, or an earlier result of weft,
// which is then replaced; anything else is refused, so that no file of the user is lost.
class ResultDir {
 public:
  // Checks the place before any work. Throws Error that names the obstacle.
  explicit ResultDir(std::filesystem::path path);

  // Writes files (name, with folders of its own if it has some -> content) into a sibling directory, flushes them to
  // the disk, and renames the directory into place. Throws Error on any failure and leaves the old contents. Not safe
  // against a second writer of the same directory.
  void write(const std::map<std::string, std::string>& files) const;

  const std::filesystem::path& path() const { return path_; }

 private:
  void follow_link();  // replaces a symbolic link by its target
  void refuse_foreign() const;

  std::filesystem::path path_;
};

// results/NAME below the current directory, for a result without a place. Removes a new `results` that stays empty.
class DefaultOutput {
 public:
  explicit DefaultOutput(const std::string& name);
  ~DefaultOutput();
  DefaultOutput(const DefaultOutput&) = delete;
  DefaultOutput& operator=(const DefaultOutput&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  bool created_ = false;
};

// Files of a result. A directory with other files in it is none.
inline constexpr const char* kResultJson = "result.json";
inline constexpr const char* kResultCsv = "convolutions.csv";
inline constexpr const char* kStepsCsv = "steps.csv";    // of a timeline, in place of kResultCsv
inline constexpr const char* kEpochsCsv = "epochs.csv";  // of a training, in place of kResultCsv
inline constexpr const char* kPlanCsv = "plan.csv";      // of a plan
inline constexpr const char* kResultConfig = "config.yaml";
inline constexpr const char* kActivityCsv = "activity.csv";  // of weft run --activity
inline constexpr const char* kLadderCsv = "ladder.csv";  // of weft explain, with the runs of its ladders: step-*.yaml

// Folder with copies of the files that the result was made from.
inline constexpr const char* kResultInputs = "inputs";

bool is_result(const std::filesystem::path& path);

}  // namespace weft::record
