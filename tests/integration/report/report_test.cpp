// Output and refusals of weft report, without a browser; page_test.py checks the pages in one.
#include <unistd.h>

#include "tests/support/weft_test.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRun = R"(
board: u250
kernel: {extends: fpgpt-16x16-hls, array: {x: 7, y: 3}}
network: {layers: [{name: "a<b>&\"c\"</script>", channels: 3, h: 12, w: 11, filters: 8, kernel: 5, pad: 2}]}
batch: 1
rung: analytical
)";

class Report : public test::WeftTest {
 protected:
  void SetUp() override {
    dir_.write("r.yaml", kRun);
    ok({"run", "r.yaml", "--out", "a"});
  }

  std::string printed(const Words& arguments) const { return ok(arguments).out; }
  // Expects a refusal in one line that contains `what`; nothing may be written.
  void refused(const Words& arguments, const std::string& what) const {
    const Words before = dir_.listing();
    WeftTest::refused(test::joined({"report"}, arguments), what);
    EXPECT_EQ(dir_.listing(), before);
  }
};

TEST_F(Report, IsWrittenBesideTheResultUnlessToldWhere) {
  EXPECT_EQ(printed({"report", "a"}), "saved        a.html\n");
  EXPECT_EQ(printed({"report", "./a/"}), "saved        a.html\n");
  fs::create_directory(dir_.path() / "deep");
  ok({"run", "r.yaml", "--out", "deep/b"});
  EXPECT_EQ(printed({"report", "deep/b", "a"}), "saved        deep/b-vs-a.html\n");
  EXPECT_EQ(printed({"report", "a", "--out", "there.html"}), "saved        there.html\n");
  EXPECT_EQ(text("there.html"), text("a.html"));
  ok({"report", "a"});
  EXPECT_EQ(text("there.html"), text("a.html")) << "the same input gives the same bytes";
}

TEST_F(Report, CarriesItsScriptItsStyleAndTheLicencesAsTheyAreCommitted) {
  ok({"report", "a"});
  const std::string page = text("a.html");
  const fs::path folder = WEFT_SOURCE_DIR "/platform/document/page";
  EXPECT_TRUE(test::has(page, test::read_text_file(folder / "page.min.js")));
  EXPECT_TRUE(test::has(page, test::read_text_file(folder / "page.css")));
  EXPECT_TRUE(test::has(page, "Copyright 2020-2025 Observable, Inc."));
}

TEST_F(Report, TakesANameForAName) {
  ok({"report", "a"});
  const std::string page = text("a.html");
  EXPECT_TRUE(test::has(page, "<th scope=row>a&lt;b&gt;&amp;&quot;c&quot;&lt;/script&gt;"));
  const std::string begin = "<script type=application/json id=weft-data>";
  const std::size_t from = page.find(begin) + begin.size(), to = page.find("</script>", from);
  const std::string data = page.substr(from, to - from);
  EXPECT_FALSE(test::has(data, "<"));
  EXPECT_EQ(nlohmann::json::parse(data).at("frame").at(0).at("values").at(0), "a<b>&\"c\"</script>");
}

TEST_F(Report, RefusesWhatIsNoResultOrNoPairOfResults) {
  ok({"timeline", "resnet20-u250", "--rung", "analytical", "--out", "t"});
  refused({"a", "t"}, "cannot combine 'a' (weft run) and 't' (weft timeline)");
  refused({"t", "t"}, "give two results of weft run");
  dir_.write("a/result.json", "{\"run\": 1}");
  refused({"a"}, "a/result.json");
  dir_.write("t/result.json", "{\"run\": 1, \"steps\": 2}");
  refused({"t"}, "t/result.json");
  dir_.write("t/result.json", "no JSON");
  refused({"t"}, "t/result.json");
}

TEST_F(Report, RefusesAPlaceThatCannotBeWritten) {
  refused({"a", "--out", "nowhere/a.html"}, "--out nowhere/a.html: there is no folder 'nowhere'");
  refused({"a", "--out", "a"}, "--out a: is not a file that can be replaced");
  fs::create_directory(dir_.path() / "a.html");
  refused({"a"}, "the report a.html: is not a file that can be replaced");
}

TEST_F(Report, OfATimelineIsOfWhatTheTimelineSaved) {
  const std::string whole = printed({"timeline", "resnet20-u250", "--rung", "analytical"});
  const std::string line = whole.substr(whole.rfind("saved        results/timeline-resnet20-u250-rung-analytical-"));
  const std::string place = line.substr(13, line.size() - 14);
  EXPECT_EQ(text(fs::path(place) / "steps.csv"),
            printed({"timeline", "resnet20-u250", "--rung", "analytical", "--no-save", "--format", "csv"}));
  EXPECT_EQ(text(fs::path(place) / "result.json"),
            printed({"timeline", "resnet20-u250", "--rung", "analytical", "--no-save", "--format", "json"}));
  EXPECT_EQ(printed({"report", place}), "saved        " + place + ".html\n");
}

}  // namespace
}  // namespace weft
