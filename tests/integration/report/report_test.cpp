// What weft report writes and refuses, without a browser; page_test.py looks at the pages in one.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/run_binary.h"

namespace weft {
namespace {

namespace fs = std::filesystem;
using test::Outcome;

constexpr const char* kRun = R"(
board: u250
kernel: {extends: fpgpt-16x16-hls, array: {x: 7, y: 3}}
network: {layers: [{name: "a<b>&\"c\"</script>", channels: 3, h: 12, w: 11, filters: 8, kernel: 5, pad: 2}]}
batch: 1
rung: analytical
)";

class Report : public testing::Test {
 protected:
  void SetUp() override {
    folder_.write("r.yaml", kRun);
    ok({"run", "r.yaml", "--out", "a"});
  }

  Outcome weft(const std::vector<std::string>& arguments) const {
    return test::run_program(WEFT_BINARY, arguments, folder_.path());
  }
  std::string ok(const std::vector<std::string>& arguments) const {
    const Outcome outcome = weft(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.out;
  }
  std::string text(const fs::path& path) const { return test::read_text_file(folder_.path() / path); }
  // In one line that has `what` in it, and nothing is written.
  void refused(const std::vector<std::string>& arguments, const std::string& what) const {
    const std::vector<std::string> before = folder_.listing();
    const Outcome outcome = weft(test::joined({"report"}, arguments));
    EXPECT_EQ(outcome.exit_code, 2) << outcome.out;
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find(what), std::string::npos) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_EQ(folder_.listing(), before);
  }

  test::TemporaryDirectory folder_;
};

TEST_F(Report, IsWrittenBesideTheResultUnlessToldWhere) {
  EXPECT_EQ(ok({"report", "a"}), "saved        a.html\n");
  EXPECT_EQ(ok({"report", "./a/"}), "saved        a.html\n");
  fs::create_directory(folder_.path() / "deep");
  ok({"run", "r.yaml", "--out", "deep/b"});
  EXPECT_EQ(ok({"report", "deep/b", "a"}), "saved        deep/b-vs-a.html\n");
  EXPECT_EQ(ok({"report", "a", "--out", "there.html"}), "saved        there.html\n");
  EXPECT_EQ(text("there.html"), text("a.html"));
  ok({"report", "a"});
  EXPECT_EQ(text("there.html"), text("a.html")) << "the same input gives the same bytes";
}

TEST_F(Report, CarriesItsScriptItsStyleAndTheLicencesAsTheyAreCommitted) {
  ok({"report", "a"});
  const std::string page = text("a.html");
  const fs::path folder = WEFT_SOURCE_DIR "/platform/document/page";
  EXPECT_NE(page.find(test::read_text_file(folder / "page.min.js")), std::string::npos);
  EXPECT_NE(page.find(test::read_text_file(folder / "page.css")), std::string::npos);
  EXPECT_NE(page.find("Copyright 2020-2025 Observable, Inc."), std::string::npos);
}

TEST_F(Report, TakesANameForAName) {
  ok({"report", "a"});
  const std::string page = text("a.html");
  EXPECT_NE(page.find("<th scope=row>a&lt;b&gt;&amp;&quot;c&quot;&lt;/script&gt;"), std::string::npos);
  const std::string begin = "<script type=application/json id=weft-data>";
  const std::size_t from = page.find(begin) + begin.size(), to = page.find("</script>", from);
  const std::string data = page.substr(from, to - from);
  EXPECT_EQ(data.find('<'), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(data).at("values").at(0).at(0), "a<b>&\"c\"</script>");
}

TEST_F(Report, RefusesWhatIsNoResultOrNoPairOfResults) {
  refused({"nowhere"}, "there is no result 'nowhere'");
  refused({"r.yaml"}, "'r.yaml' is no result of weft");
  refused({"a", "a", "a"}, "of one result, or of two to compare, not of 3");
  fs::create_directory(folder_.path() / "empty");
  refused({"empty"}, "'empty' is no result of weft");
  ok({"timeline", "resnet20-u250", "--rung", "analytical", "--out", "t"});
  refused({"a", "t"}, "'a' is a result of weft run, 't' one of weft timeline");
  refused({"t", "t"}, "two results are two of weft run");
  folder_.write("a/result.json", "{\"run\": 1}");
  refused({"a"}, "a/result.json");
  folder_.write("t/result.json", "{\"run\": 1, \"steps\": 2}");
  refused({"t"}, "t/result.json");
  folder_.write("t/result.json", "no JSON");
  refused({"t"}, "t/result.json");
}

TEST_F(Report, RefusesAPlaceThatCannotBeWritten) {
  refused({"a", "--out", "nowhere/a.html"}, "--out nowhere/a.html: there is no folder 'nowhere'");
  refused({"a", "--out", "a"}, "--out a: is not a file that can be replaced");
  fs::create_directory(folder_.path() / "a.html");
  refused({"a"}, "the report a.html: is not a file that can be replaced");
}

TEST_F(Report, OfATimelineIsOfWhatTheTimelineSaved) {
  const std::string printed = ok({"timeline", "resnet20-u250", "--rung", "analytical"});
  const std::string line =
      printed.substr(printed.rfind("saved        results/timeline-resnet20-u250-rung-analytical-"));
  const std::string place = line.substr(13, line.size() - 14);
  EXPECT_EQ(text(fs::path(place) / "steps.csv"),
            ok({"timeline", "resnet20-u250", "--rung", "analytical", "--no-save", "--format", "csv"}));
  EXPECT_EQ(text(fs::path(place) / "result.json"),
            ok({"timeline", "resnet20-u250", "--rung", "analytical", "--no-save", "--format", "json"}));
  EXPECT_NE(ok({"show", "results"}).find("  timeline  resnet20 "), std::string::npos) << ok({"show", "results"});
  EXPECT_NE(ok({"show", place}).find("\nwhere it goes "), std::string::npos);
  EXPECT_EQ(ok({"report", place}), "saved        " + place + ".html\n");
  const Outcome compared = weft({"compare", place, "a"});
  EXPECT_EQ(compared.exit_code, 2);
  EXPECT_NE(compared.err.find("is a result of weft timeline, not of weft run"), std::string::npos) << compared.err;
}

}  // namespace
}  // namespace weft
