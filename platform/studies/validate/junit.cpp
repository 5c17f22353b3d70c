#include <fmt/core.h>

#include <algorithm>
#include <pugixml.hpp>
#include <sstream>

#include "platform/studies/validate/result.h"

namespace weft::validate {

namespace {

std::string test_name(const std::string& layer, conv::Kind kind) {
  return fmt::format("{}:{}", layer, conv::to_string(kind));
}

void set_time(pugi::xml_node node, double seconds) {
  node.append_attribute("time") = fmt::format("{:.6f}", seconds).c_str();
}

pugi::xml_node add_case(pugi::xml_node suite, const std::string& class_name, const std::string& name, double seconds) {
  pugi::xml_node node = suite.append_child("testcase");
  node.append_attribute("classname") = class_name.c_str();
  node.append_attribute("name") = name.c_str();
  set_time(node, seconds);
  return node;
}

void add_failure(pugi::xml_node node, const std::string& message, const char* type) {
  pugi::xml_node failure = node.append_child("failure");
  failure.append_attribute("message") = message.c_str();
  failure.append_attribute("type") = type;
}

void add_failure(pugi::xml_node node, const Deviation& deviation) {
  add_failure(node, deviation.text() + (deviation.keys ? "; keys that differ: " + *deviation.keys : ""),
              !deviation.old_error   ? "new"
              : !deviation.new_error ? "missing"
                                     : "moved");
}

std::string beyond_text(const std::string& what, double error, double limit_percent) {
  return fmt::format("{}: error is {:+.4f}%, {}% allowed", what, 100 * error, limit_percent);
}

// Tests of one kernel, with the number of failures.
class Suite {
 public:
  Suite(pugi::xml_node parent, const std::string& validation, const std::string& kernel)
      : node_(parent.append_child("testsuite")), class_name_("weft.validate." + validation + "." + kernel) {
    node_.append_attribute("name") = kernel.c_str();
  }

  // `limit_percent`: limit exceeded by the error; nothing: none.
  void add(const PairResult& pair, const Deviation* deviation, std::optional<double> limit_percent) {
    const std::string name = test_name(pair.layer, pair.kind);
    pugi::xml_node node = add_case(node_, class_name_, name, pair.processor_seconds);
    if (deviation) add_failure(node, *deviation);
    if (limit_percent) add_failure(node, beyond_text(name, pair.error, *limit_percent), "limit");
    failures_ += deviation || limit_percent ? 1 : 0;
    node.append_child("system-out")
        .text()
        .set(fmt::format("error {:+.4f}%: {} against {} cycles", 100 * pair.error, pair.model.cycles,
                         pair.against.cycles)
                 .c_str());
    seconds_ += pair.processor_seconds;
    ++tests_;
  }
  void add_missing(const Deviation& deviation) {
    add_failure(add_case(node_, class_name_, test_name(deviation.layer, deviation.kind), 0), deviation);
    ++failures_;
    ++tests_;
  }
  void add_total(const std::string& what, const TotalCycles& total, double limit_percent) {
    pugi::xml_node node = add_case(node_, class_name_, what, 0);
    if (!total.holds) {
      add_failure(node, beyond_text(what, total.error, limit_percent), "limit");
      ++failures_;
    }
    ++tests_;
  }
  void finish() {
    node_.append_attribute("tests") = tests_;
    node_.append_attribute("failures") = failures_;
    node_.append_attribute("errors") = 0;
    set_time(node_, seconds_);
  }
  int tests() const { return tests_; }
  int failures() const { return failures_; }
  double seconds() const { return seconds_; }

 private:
  pugi::xml_node node_;
  std::string class_name_;
  int tests_ = 0, failures_ = 0;
  double seconds_ = 0;
};

const Deviation* deviation_of(const std::vector<Deviation>& deviations, const PairResult& pair) {
  for (const Deviation& one : deviations) {
    if (one.new_error && one.kernel == pair.kernel && one.layer == pair.layer && one.kind == pair.kind) return &one;
  }
  return nullptr;
}

}  // namespace

std::string junit_xml(const ValidateResult& result) {
  const std::vector<Deviation> deviations = result.baseline ? result.baseline->deviations : std::vector<Deviation>();
  // Kernels of the run, then kernels only in the baseline.
  std::vector<std::string> kernels = result.kernels();
  for (const Deviation& one : deviations) {
    if (std::find(kernels.begin(), kernels.end(), one.kernel) == kernels.end()) kernels.push_back(one.kernel);
  }
  const auto beyond = [&](const PairResult& pair) {
    const bool is = result.limits && !within(pair.error, result.limits->limits.convolution);
    return is ? std::optional(result.limits->limits.convolution) : std::nullopt;
  };

  pugi::xml_document document;
  pugi::xml_node root = document.append_child("testsuites");
  root.append_attribute("name") = ("weft validate " + result.name).c_str();
  int tests = 0, failures = 0;
  double seconds = 0;
  const auto finish = [&](Suite& suite) {
    suite.finish();
    tests += suite.tests();
    failures += suite.failures();
    seconds += suite.seconds();
  };
  for (const std::string& kernel : kernels) {
    Suite suite(root, result.name, kernel);
    for (const PairResult& pair : result.convolutions) {
      if (pair.kernel == kernel) suite.add(pair, deviation_of(deviations, pair), beyond(pair));
    }
    for (const Deviation& one : deviations) {
      if (one.kernel == kernel && !one.new_error) suite.add_missing(one);
    }
    finish(suite);
  }
  if (result.limits) {
    Suite suite(root, result.name, "sums");
    for (const auto& [what, total] : result.limits->totals()) suite.add_total(what, total, result.limits->limits.total);
    finish(suite);
  }
  root.append_attribute("tests") = tests;
  root.append_attribute("failures") = failures;
  set_time(root, seconds);
  std::ostringstream out;
  document.save(out, "  ");
  return out.str();
}

}  // namespace weft::validate
