#include <fmt/core.h>

#include <algorithm>
#include <pugixml.hpp>
#include <sstream>

#include "tools/validate_report.h"

namespace weft::tools {

using validate::Deviation;
using validate::Pair;

namespace {

std::string test_name(const std::string& layer, conv::Kind kind) {
  return fmt::format("{}:{}", layer, conv::to_string(kind));
}

pugi::xml_node add_case(pugi::xml_node suite, const std::string& class_name, const std::string& name) {
  pugi::xml_node node = suite.append_child("testcase");
  node.append_attribute("classname") = class_name.c_str();
  node.append_attribute("name") = name.c_str();
  node.append_attribute("time") = "0";
  return node;
}

void add_failure(pugi::xml_node node, const Deviation& deviation) {
  pugi::xml_node failure = node.append_child("failure");
  failure.append_attribute("message") = deviation.text().c_str();
  failure.append_attribute("type") = !deviation.old_error ? "new" : !deviation.new_error ? "missing" : "moved";
}

// The tests of one kernel, and how many of them failed.
class Suite {
 public:
  Suite(pugi::xml_node parent, const std::string& validation, const std::string& kernel)
      : node_(parent.append_child("testsuite")), class_name_("weft.validate." + validation + "." + kernel) {
    node_.append_attribute("name") = kernel.c_str();
  }

  void add(const Pair& pair, const Deviation* deviation) {
    pugi::xml_node node = add_case(node_, class_name_, test_name(pair.layer.name, pair.kind));
    if (deviation) fail(node, *deviation);
    node.append_child("system-out")
        .text()
        .set(fmt::format("error {:+.4f}%: {} against {} cycles", 100 * pair.error(), pair.model.cycles,
                         pair.against.cycles)
                 .c_str());
    ++tests_;
  }
  void add_missing(const Deviation& deviation) {
    fail(add_case(node_, class_name_, test_name(deviation.layer, deviation.kind)), deviation);
    ++tests_;
  }
  void finish() {
    node_.append_attribute("tests") = tests_;
    node_.append_attribute("failures") = failures_;
    node_.append_attribute("errors") = 0;
  }
  int tests() const { return tests_; }
  int failures() const { return failures_; }

 private:
  void fail(pugi::xml_node node, const Deviation& deviation) {
    add_failure(node, deviation);
    ++failures_;
  }

  pugi::xml_node node_;
  std::string class_name_;
  int tests_ = 0, failures_ = 0;
};

const Deviation* find(const std::vector<Deviation>& deviations, const Pair& pair) {
  for (const Deviation& one : deviations) {
    if (one.new_error && one.kernel == pair.kernel && one.layer == pair.layer.name && one.kind == pair.kind)
      return &one;
  }
  return nullptr;
}

}  // namespace

std::string junit_xml(const validate::ValidateConfig& config, const std::vector<Pair>& pairs,
                      const std::optional<BaselineVerdict>& baseline) {
  const std::vector<Deviation> none;
  const std::vector<Deviation>& deviations = baseline ? baseline->deviations : none;
  // The kernels of the run, then those that only the baseline has.
  std::vector<std::string> kernels;
  const auto note = [&](const std::string& kernel) {
    if (std::find(kernels.begin(), kernels.end(), kernel) == kernels.end()) kernels.push_back(kernel);
  };
  for (const Pair& pair : pairs) note(pair.kernel);
  for (const Deviation& one : deviations) note(one.kernel);

  pugi::xml_document document;
  pugi::xml_node root = document.append_child("testsuites");
  root.append_attribute("name") = ("weft validate " + config.name).c_str();
  int tests = 0, failures = 0;
  for (const std::string& kernel : kernels) {
    Suite suite(root, config.name, kernel);
    for (const Pair& pair : pairs) {
      if (pair.kernel == kernel) suite.add(pair, find(deviations, pair));
    }
    for (const Deviation& one : deviations) {
      if (one.kernel == kernel && !one.new_error) suite.add_missing(one);
    }
    suite.finish();
    tests += suite.tests();
    failures += suite.failures();
  }
  root.append_attribute("tests") = tests;
  root.append_attribute("failures") = failures;
  std::ostringstream out;
  document.save(out, "  ");
  return out.str();
}

}  // namespace weft::tools
