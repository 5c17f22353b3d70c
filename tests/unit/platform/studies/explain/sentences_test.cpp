#include "platform/studies/explain/explanation.h"
#include "tests/support/texts.h"

namespace weft::explain {
namespace {

const std::vector<Change> kChanges{{"short_reads", "reads what is needed", ""},
                                   {"clock", "twice the clock", "needs timing closure"},
                                   {"fifos", "deeper", ""}};

Figures takes(double seconds, std::vector<Share> shares, std::optional<double> utilisation = std::nullopt) {
  Figures figures;
  figures.seconds = seconds;
  figures.shares = std::move(shares);
  figures.utilisation = utilisation;
  return figures;
}

Line as_is(Figures figures) {
  Line line;
  line.figures = std::move(figures);
  return line;
}

Line kept(int step, const char* change, Figures figures, double gain, double alone) {
  Line line;
  line.ending = Ending::Kept;
  line.step = step;
  line.change = change;
  line.figures = std::move(figures);
  line.gain = gain;
  line.alone = alone;
  return line;
}

Line left(const char* change, double alone) {
  Line line;
  line.ending = Ending::NoGain;
  line.change = change;
  line.alone = alone;
  return line;
}

TEST(TheThreeSentences, SayWhatLimitsItWhatToChangeFirstAndWhatLimitsItThen) {
  const std::vector<Line> lines{as_is(takes(2.5, {{"reader", 0.8}, {"feeder", 0.15}, {"writer", 0.05}}, 0.07)),
                                kept(1, "short_reads", takes(0.75, {{"feeder", 1}}, 0.25), 0.7, 0.7),
                                kept(2, "clock", takes(0.375, {{"feeder", 1}}, 0.25), 0.5, 0.5), left("fifos", 0)};
  EXPECT_EQ(sentences(lines, kChanges),
            (std::vector<std::string>{
                "What limits it: reader for 80.0% of the time, feeder for 15.0%; 7.0% of what the array could compute "
                "is useful.",
                "What to change first: short_reads (reads what is needed), from 2.5 s to 750 ms, which is 70.0% less.",
                "What limits it then: feeder for 100.0% of the time; 25.0% of what the array could compute is useful; "
                "clock takes another 50.0% off."}));
}

TEST(TheThreeSentences, NameTheBestWithoutACaveatWhereTheFirstHasOne) {
  const std::vector<Line> lines{as_is(takes(2, {{"feeder", 1}})), kept(1, "clock", takes(1, {{"feeder", 1}}), 0.5, 0.5),
                                left("short_reads", 0.1), left("fifos", 0.2)};
  EXPECT_EQ(sentences(lines, kChanges),
            (std::vector<std::string>{
                "What limits it: feeder for 100.0% of the time.",
                "What to change first: clock (twice the clock; needs timing closure), from 2 s to 1 s, which is 50.0% "
                "less; of what has no such caveat fifos gains most by itself, 20.0%.",
                "What limits it then: feeder for 100.0% of the time; nothing of what was tried makes it faster."}));
  const std::vector<Line> alone{lines[0], lines[1], left("fifos", 0), left("short_reads", -0.1)};
  EXPECT_TRUE(test::has(sentences(alone, kChanges)[1], "; nothing else gains by itself."));
}

TEST(TheThreeSentences, SayThatNothingHelps) {
  const std::vector<Line> lines{as_is(takes(2, {{"feeder", 0.6}, {"reader", 0.4}})), left("fifos", -0.5)};
  EXPECT_EQ(sentences(lines, kChanges),
            (std::vector<std::string>{"What limits it: feeder for 60.0% of the time, reader for 40.0%.",
                                      "What to change first: nothing of what was tried makes it faster.",
                                      "What limits it then: the same."}));
}

}  // namespace
}  // namespace weft::explain
