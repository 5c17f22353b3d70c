#pragma once

#include <gtest/gtest.h>

#include <string>

#include "platform/studies/sweep/store/results.h"
#include "platform/studies/sweep/store/store.h"
#include "tests/support/weft_test.h"

namespace weft::test {

// A test with a folder in which sweeps run.
class SweepCase : public WeftTest {
 protected:
  static Words sweep(const Words& more) { return joined({"sweep"}, more); }
  static Words show(const Words& more) { return joined({"show"}, more); }

  // Returns all recorded columns of points and convolutions, byte for byte.
  std::string rows(const std::string& database) const {
    return ok(show({database, "--format", "csv"})).out + ok(show({database, "--format", "csv", "--convolutions"})).out;
  }
  std::int64_t recorded(const std::string& database) const {
    try {
      return static_cast<std::int64_t>(sweep::Results(dir_.path() / database).read_points().size());
    } catch (const std::exception&) {
      return 0;  // not there yet
    }
  }
  std::string query(const std::string& database, const std::string& sql) const {
    const sweep::Connection connection((dir_.path() / database).string(), sweep::Connection::Access::Read);
    sweep::Statement statement = connection.prepare(sql);
    std::string all;
    while (statement.step()) {
      for (int i = 0; i < statement.columns(); ++i) all += (i ? "|" : "") + weft::to_text(statement.column(i));
      all += '\n';
    }
    return all;
  }

  void execute(const std::string& database, const std::string& sql) const {
    sweep::Connection((dir_.path() / database).string(), sweep::Connection::Access::Write).execute(sql);
  }

  // Writes a sweep of `points` of equal cost, `batch` images each on the systemc rung (about 20 ms per image).
  void write_equal(const std::string& name, int points, int batch = 1) {
    dir_.write(name, "run: conv-small\nset: {batch: " + std::to_string(batch) +
                         "}\nspace: {seed: {from: 1, to: " + std::to_string(points) + ", step: 1}}\n");
  }
};

}  // namespace weft::test
