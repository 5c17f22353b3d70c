#include "platform/hardware/mutation/model_faults.h"

#include "platform/os/content.h"
#include "tests/support/files.h"
#include "tests/support/texts.h"

namespace weft::mutation {
namespace {

const std::filesystem::path kProject = WEFT_SOURCE_DIR;

TEST(ModelFaults, EachOfTheProjectsStandsExactlyOnceInItsFile) {
  const std::vector<ModelFault> faults = load_model_faults(kProject / "configs/mutants/model.yaml");
  EXPECT_GE(faults.size(), 15U);
  for (const ModelFault& fault : faults) EXPECT_NO_THROW(check(fault, kProject)) << fault.name;
}

std::string message_of(const std::string& yaml) {
  const test::TemporaryDirectory dir;
  return test::message_of<InputError>([&] { load_model_faults(dir.write("faults.yaml", yaml)); });
}

TEST(ModelFaults, ErrorsNameTheKeyAndWhatItMustBe) {
  const auto fault = [](const char* name, const char* rest) {
    return std::string("- {name: ") + name + ", what: w, file: f.cpp, " + rest + "}\n";
  };
  EXPECT_EQ(message_of(fault("a", "old: x, new: y, tests: [t]")), "nothing");
  EXPECT_TRUE(test::has(message_of(fault("a", "old: x, new: x, tests: [t]")), "[0].new: must differ from 'old'"));
  EXPECT_TRUE(test::has(message_of(fault("a", "old: \"\", new: z, tests: [t]")), "[0].old: must be a text"));
  EXPECT_TRUE(test::has(message_of(fault("a", "old: \"x\\ny\", new: z, tests: [t]")), "has a control character"));
  EXPECT_TRUE(
      test::has(message_of(fault("a", "old: x, new: y, tests: []")), "[0].tests: must name at least one test program"));
  EXPECT_TRUE(test::has(message_of(fault("a", "old: x, new: y, tests: [a/b]")), "must be PROGRAM or PROGRAM:TESTS"));
  EXPECT_TRUE(test::has(message_of(fault("a", "old: x, new: y, tests: [t]") + fault("a", "old: x, new: z, tests: [t]")),
                        "'a' names two faults"));
}

// A project of one function and one program that tests it.
class Project {
 public:
  Project() {
    dir_.write("source/CMakeLists.txt",
               "cmake_minimum_required(VERSION 3.25)\nproject(p CXX)\nadd_executable(t value.cpp t.cpp)\n");
    dir_.write("source/value.cpp", "int value() { return 6 * 7; }\nint unused() { return 1; }\n");
    dir_.write("source/t.cpp", "int value();\nint main() { return value() == 42 ? 0 : 1; }\n");
    dir_.write("source/build/mine", "a build of the user's\n");
  }
  std::filesystem::path source() const { return dir_.path() / "source"; }
  std::vector<std::string> survivors(const std::vector<ModelFault>& faults) const {
    std::vector<std::string> names;
    for (const ModelFaultResult& each : run_model_faults(faults, source(), dir_.path() / "copy", nullptr)) {
      if (each.noticed_by.empty()) names.push_back(each.fault.name);
    }
    return names;
  }

 private:
  test::TemporaryDirectory dir_;
};

ModelFault fault(const std::string& name, const std::string& old_text, const std::string& new_text) {
  ModelFault fault;
  fault.name = name;
  fault.file = "value.cpp";
  fault.old_text = old_text;
  fault.new_text = new_text;
  fault.tests = {{"t", ""}};
  return fault;
}

TEST(ModelFaults, ThoseThatNoTestNoticesSurviveAndTheProjectStaysAsItIs) {
  const Project project;
  const std::string before = os::content(project.source() / "value.cpp");
  const std::vector<ModelFault> faults{fault("sum", "6 * 7", "6 + 7"), fault("unused", "return 1", "return 2")};
  EXPECT_EQ(project.survivors(faults), (std::vector<std::string>{"unused"}));
  EXPECT_EQ(project.survivors({faults[1]}), (std::vector<std::string>{"unused"}));  // in the existing copy
  EXPECT_EQ(os::content(project.source() / "value.cpp"), before);
  EXPECT_EQ(os::content(project.source() / "build/mine"), "a build of the user's\n");
}

TEST(ModelFaults, OneThatIsSaidToBeEquivalentMustPassAllItsTests) {
  ModelFaultResult result;
  EXPECT_FALSE(result.as_said());
  result.fault.equivalent = "nothing reads it";
  EXPECT_TRUE(result.as_said());
  result.noticed_by = "t";
  EXPECT_FALSE(result.as_said());
  result.fault.equivalent.clear();
  EXPECT_TRUE(result.as_said());
}

TEST(ModelFaults, WhatDoesNotBuildOrFailsWithoutAFaultIsAnError) {
  const Project project;
  EXPECT_THROW(project.survivors({fault("syntax", "6 * 7", "6 *")}), Error);
  EXPECT_THROW(project.survivors({fault("nowhere", "8 * 7", "6")}), Error);
  ModelFault none = fault("none", "6 * 7", "6");
  none.tests = {{"u", ""}};
  EXPECT_THROW(project.survivors({none}), Error);
}

}  // namespace
}  // namespace weft::mutation
