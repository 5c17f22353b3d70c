// weft rtl: the written kernel is complete by itself, and equals the verified one.

#include <pugixml.hpp>
#include <set>

#include "tests/support/weft_test.h"

namespace weft {
namespace {

namespace fs = std::filesystem;
using test::Outcome;
using Words = std::vector<std::string>;

const Words kSmall{"conv-small",
                   "--set",
                   "kernel={extends: fpgpt-8x8-hls, array: {x: 2, y: 1}, band: 2, profile: rtl}",
                   "--set",
                   "convolution={kind: F, channels: 2, filters: 3, h: 5, w: 4, kernel: 3, pad: 1}",
                   "--set",
                   "batch=1"};

class Rtl : public test::WeftTest {
 protected:
  static Words write(const Words& run = kSmall) { return test::joined({"rtl", "--out", "out"}, run); }
  std::string text(const std::string& name) const { return WeftTest::text("out/" + name); }
};

// Returns Verilator's output without the report ("- Verilator: ...") that ends it since 5.026.
std::string without_report(const std::string& out) {
  std::string rest;
  for (const std::string& line : test::split(out)) {
    if (line.rfind("- V", 0) != 0) rest += line + "\n";
  }
  return rest;
}

TEST_F(Rtl, LintsAndEqualsTheModelAsItIs) {
  const Outcome written = ok(write());
  EXPECT_EQ(written.out.rfind("module       fpgpt_conv_small, 100 MHz\n", 0), 0U) << written.out;
  const Outcome lint = test::run_program("/bin/sh", {"out/verilator.sh"}, dir_.path());
  EXPECT_EQ(lint.exit_code, 0) << lint.out << lint.err;
  EXPECT_EQ(without_report(lint.out) + lint.err, "");
  const Outcome equal = ok({"cosim", "out/config.yaml", "--rtl", "out", "--refuse", "20"});
  EXPECT_TRUE(test::has(equal.out, "RTL and model agree."));
}

// A fault in the written copy alone: parameters come from the wrapper, sources from the folder.
TEST_F(Rtl, WhatIsComparedIsTheFolder) {
  ok(write());
  std::string writer = text("rtl/encode.sv");
  const std::size_t end = writer.rfind("endmodule");
  ASSERT_NE(end, std::string::npos);
  writer.insert(end, "  initial $error(\"of the copy\");\n");
  dir_.write("out/rtl/encode.sv", writer);
  const Outcome outcome = weft({"cosim", "out/config.yaml", "--rtl", "out"});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.out;
  EXPECT_TRUE(test::has(outcome.out, "of the copy"));
}

TEST_F(Rtl, SourcesAreTheProjectsByteByByte) {
  ok(write());
  std::set<std::string> here, there;
  for (const char* folder : {"kernels/common/rtl", "kernels/fpgpt/rtl"}) {
    for (const auto& entry : fs::directory_iterator(fs::path(WEFT_SOURCE_DIR) / folder)) {
      if (!entry.is_regular_file() || entry.path().extension() == ".md") continue;
      const std::string name = entry.path().filename();
      EXPECT_TRUE(here.insert(name).second) << name << " stands in both folders";
      EXPECT_EQ(text("rtl/" + name), test::read_text_file(entry.path())) << name;
    }
  }
  for (const auto& entry : fs::directory_iterator(dir_.path() / "out/rtl")) there.insert(entry.path().filename());
  EXPECT_EQ(there, here);
  EXPECT_EQ(text("REGISTERS.md"), test::read_text_file(fs::path(WEFT_SOURCE_DIR) / "kernels/fpgpt/rtl/REGISTERS.md"));
}

TEST_F(Rtl, YosysReadsIt) {
  ok(write());
  const std::string script = text("synth.ys");
  const std::size_t mapping = script.find("synth_xilinx");
  ASSERT_NE(mapping, std::string::npos);
  dir_.write("out/read.ys", script.substr(0, mapping) + "stat\n");
  const Outcome outcome = test::run_program("/usr/bin/env", {"yosys", "-q", "-s", "read.ys"}, dir_.path() / "out");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
}

// Registers are at the addresses of REGISTERS.md, each pointer on the port that uses it.
TEST_F(Rtl, KernelXmlHasPortsAndArguments) {
  ok(write());
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(text("kernel.xml").c_str()));
  const pugi::xml_node kernel = document.child("root").child("kernel");
  EXPECT_STREQ(kernel.attribute("name").value(), "fpgpt_conv_small");
  std::vector<std::string> ports;
  for (const pugi::xml_node port : kernel.child("ports").children("port")) {
    ports.push_back(std::string(port.attribute("name").value()) + " " + port.attribute("dataWidth").value());
  }
  EXPECT_EQ(ports, (std::vector<std::string>{"m_axi_inp 64", "m_axi_kern 64", "m_axi_out 64", "s_axi_control 32"}));
  const auto argument = [&](const char* name) {
    const pugi::xml_node arg = kernel.child("args").find_child_by_attribute("arg", "name", name);
    return std::string(arg.attribute("port").value()) + " " + arg.attribute("offset").value();
  };
  EXPECT_EQ(argument("KIND"), "s_axi_control 0x20");
  EXPECT_EQ(argument("KERN_BASE"), "m_axi_kern 0x74");
  EXPECT_EQ(argument("OUT_PITCH_N"), "s_axi_control 0x94");
  EXPECT_EQ(argument("INP_FIRST"), " ");
}

TEST_F(Rtl, OfFixedPointHasItsLanesAndItsTwoRegistersMore) {
  ok(write(test::joined(kSmall, {"--set", "kernel.format=fxp12"})));
  const std::string wrapper = text("fpgpt_conv_small.sv");
  EXPECT_TRUE(test::has(wrapper, ".WordBits(12),"));
  EXPECT_TRUE(test::has(wrapper, ".LaneBits(12),"));
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(text("kernel.xml").c_str()));
  const pugi::xml_node args = document.child("root").child("kernel").child("args");
  EXPECT_STREQ(args.find_child_by_attribute("arg", "name", "INP_FIRST").attribute("offset").value(), "0x98");
  EXPECT_STREQ(args.find_child_by_attribute("arg", "name", "KERN_FIRST").attribute("offset").value(), "0x9c");
  const Outcome lint = test::run_program("/bin/sh", {"out/verilator.sh"}, dir_.path());
  EXPECT_EQ(lint.exit_code, 0) << lint.out << lint.err;
}

TEST_F(Rtl, AnotherConfigurationIsRefused) {
  ok(write());
  EXPECT_EQ(refused({"cosim", "out/config.yaml", "--rtl", "out", "--set", "kernel.fifo.out_beat=16"}),
            "weft: error: --rtl out: fpgpt_conv_small.sv is the kernel of another configuration: it has "
            "'    .OutBeatDepth(32),' where this one has '    .OutBeatDepth(16),'\n");
  refused({"cosim", "out/config.yaml", "--rtl", "out/rtl"}, "is not a folder written by weft rtl");
}

// Barista's kernel, with the tile of FPGPT's convolution as one image: linted, equal to the model at the outer pins,
// and with registers at the addresses of REGISTERS.md.
TEST_F(Rtl, IsThatOfTheRunsDesign) {
  const Outcome written = ok(write(
      {"resnet20-barista", "--set", "kernel={tile: {r: 2, c: 2, p: 4}, partial_sums: 2, band: 4}", "--set",
       "network={layers: [{name: a, channels: 2, h: 5, w: 4, filters: 3, kernel: 3, pad: 1}]}", "--set", "batch=1"}));
  EXPECT_EQ(written.out.rfind("module       barista_resnet20_barista, 250 MHz\n", 0), 0U) << written.out;
  const Outcome lint = test::run_program("/bin/sh", {"out/verilator.sh"}, dir_.path());
  EXPECT_EQ(lint.exit_code, 0) << lint.out << lint.err;
  EXPECT_EQ(without_report(lint.out) + lint.err, "");
  const Outcome equal = ok({"cosim", "out/config.yaml", "--rtl", "out"});
  EXPECT_TRUE(test::has(equal.out, "RTL and model agree."));
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(text("kernel.xml").c_str()));
  std::vector<std::string> arguments;
  for (const pugi::xml_node arg : document.child("root").child("kernel").child("args").children("arg")) {
    arguments.push_back(std::string(arg.attribute("name").value()) + " " + arg.attribute("port").value() + " " +
                        arg.attribute("offset").value());
  }
  EXPECT_EQ(arguments, (std::vector<std::string>{"A_BASE m_axi_a 0x20", "B_BASE m_axi_b 0x28", "PARAMS m_axi_a 0x30",
                                                 "C_BASE m_axi_c 0x38"}));
}

}  // namespace
}  // namespace weft
