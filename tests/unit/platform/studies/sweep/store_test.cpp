#include "platform/studies/sweep/store/store.h"

#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "platform/studies/sweep/store/results.h"
#include "tests/support/files.h"
#include "tests/support/texts.h"

namespace weft::sweep {
namespace {

namespace fs = std::filesystem;

const Identity kIdentity{"digest", "1.0+code"};

class Stores : public testing::Test {
 protected:
  Stores()
      : definition_(dir_.write("s.yaml", "run: conv-small\nspace: {seed: {from: 1, to: 20000, step: 1}}\n").string(),
                    {}, {WEFT_CONFIG_DIR}) {}

  static Outcome outcome(std::int64_t point, const std::string& error = "", std::size_t rows = 2) {
    Outcome outcome;
    outcome.point = point;
    outcome.error = error;
    outcome.config = "batch: 1\n";
    if (error.empty()) outcome.fields.assign(point_columns().size(), Value(point));
    if (error.empty()) outcome.rows.assign(rows, std::vector<Value>(convolution_columns().size(), Value(point)));
    return outcome;
  }
  void record(Store& store, std::int64_t point, const std::string& error = "") {
    store.record(definition_, outcome(point, error), {point, "test", 0.1, error.empty() ? "done" : "failed"});
  }

  // Runs a sweep that records these points and ends.
  void run(const fs::path& path, const std::vector<std::int64_t>& points) {
    Store store(path);
    store.begin(definition_, kIdentity, false);
    for (const std::int64_t point : points) record(store, point);
    store.close();
  }

  test::TemporaryDirectory dir_;
  Definition definition_;
  fs::path path_ = dir_.path() / "r.db";
};

TEST_F(Stores, AFileThatItsLockWouldReplaceIsLeftAlone) {
  const fs::path notes = dir_.write("r.db.lock", "my notes");
  EXPECT_TRUE(test::fails([&] { Store store(path_); }, "is not a lock of weft"));
  EXPECT_EQ(test::read_text_file(notes), "my notes");
  EXPECT_FALSE(fs::exists(path_));
}

// If the last writer was killed in a transaction, SQLite must write to the file before it can be read.
TEST_F(Stores, AKillInTheMiddleOfTheFirstTransactionIsRecoveredFrom) {
  const pid_t child = ::fork();
  if (child == 0) {
    const Connection connection(path_.string(), Connection::Access::Create);
    connection.execute("CREATE TABLE a (b)");
    connection.execute("PRAGMA cache_spill = 1");
    connection.execute("PRAGMA cache_size = 1");
    connection.execute("BEGIN");
    connection.execute("DROP TABLE a");
    connection.execute(
        "CREATE TABLE c AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20000) SELECT i FROM "
        "n");
    ::raise(SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  ASSERT_TRUE(fs::exists(path_.string() + "-journal"));
  EXPECT_TRUE(test::fails([&] { Store store(path_); }, "database of another program"));
  EXPECT_EQ(std::get<std::int64_t>(Connection(path_.string(), Connection::Access::Read)
                                       .first("SELECT count(*) FROM sqlite_master WHERE name = 'a'")),
            1);
}

TEST_F(Stores, WhatWasRecordedIsThereAtTheNextStart) {
  {
    Store store(path_);
    store.begin(definition_, kIdentity, false);
    record(store, 5);
    record(store, 3, "wrong");
    store.close();
  }
  EXPECT_EQ(dir_.listing(), (std::vector<std::string>{"r.db", "s.yaml"}));
  Store store(path_);
  store.begin(definition_, kIdentity, false);
  EXPECT_EQ(store.recorded(), (std::set<std::int64_t>{3, 5}));
  EXPECT_EQ(store.failed(), 1);
  store.forget_failed();
  EXPECT_EQ(store.recorded(), (std::set<std::int64_t>{5}));
}

TEST_F(Stores, AProcessKilledAtAnyMomentLosesNothingThatWasRecorded) {
  for (int round = 0; round < 8; ++round) {
    fs::remove(path_);
    std::array<int, 2> pipe{};
    ASSERT_EQ(::pipe(pipe.data()), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      Store store(path_);
      store.begin(definition_, kIdentity, false);
      for (std::int64_t point = 0; point < 20000; ++point) {
        record(store, point);
        if (::write(pipe[1], &point, sizeof point) != sizeof point) ::_exit(1);
      }
      ::_exit(0);
    }
    ::close(pipe[1]);
    std::int64_t told = -1, point = 0;
    const std::int64_t enough = 3 + 13 * round;
    while (::read(pipe[0], &point, sizeof point) == sizeof point) {
      told = point;
      if (told == enough) ::kill(child, SIGKILL);
    }
    ::close(pipe[0]);
    ::waitpid(child, nullptr, 0);
    ASSERT_GE(told, enough);
    Store store(path_);
    store.begin(definition_, kIdentity, false);
    const auto count = static_cast<std::int64_t>(store.recorded().size());
    EXPECT_GE(count, told + 1);
    EXPECT_EQ(*store.recorded().rbegin(), count - 1);  // no gaps
    store.close();
    const Results results(path_);
    EXPECT_EQ(static_cast<std::int64_t>(results.read_convolutions().size()), 2 * count);  // points are complete
  }
}

TEST_F(Stores, OnlyOneAtATimeMayWrite) {
  Store store(path_);
  store.begin(definition_, kIdentity, false);
  const std::string error = test::message_of([&] { Store second(path_); });
  EXPECT_TRUE(test::has(error, "is being written by another weft sweep (process " + std::to_string(::getpid())));
}

TEST_F(Stores, OnlyOneAtATimeMayWriteByWhateverPath) {
  fs::create_directory(dir_.path() / "disk");
  fs::create_directory_symlink("disk", dir_.path() / "link");
  const Store first(dir_.path() / "disk/r.db");
  fs::create_symlink("disk/r.db", dir_.path() / "other.db");
  for (const char* path : {"link/r.db", "other.db", "disk/../disk/r.db"}) {
    const std::string error = test::message_of([&] { const Store second(dir_.path() / path); });
    EXPECT_TRUE(test::has(error, "is being written by another weft sweep")) << path;
  }
}

TEST_F(Stores, ALinkLeadsToItsDatabaseAndOneThatLeadsNowhereIsRefused) {
  fs::create_directory(dir_.path() / "disk");
  run(dir_.path() / "disk/r.db", {5});
  fs::create_symlink("disk/r.db", path_);
  {
    Store store(path_);
    store.begin(definition_, kIdentity, false);
    EXPECT_EQ(store.recorded(), (std::set<std::int64_t>{5}));
    record(store, 6);
    store.close();
  }
  EXPECT_TRUE(fs::is_symlink(path_));
  EXPECT_EQ(dir_.listing(), (std::vector<std::string>{"disk", "disk/r.db", "r.db", "s.yaml"}));
  fs::remove(dir_.path() / "disk/r.db");
  EXPECT_TRUE(
      test::fails([&] { const Store store(path_); }, "is a symbolic link to 'disk/r.db', which does not exist"));
}

TEST_F(Stores, AnotherWriterOfTheSameRowsIsSaid) {
  Store first(path_);
  first.begin(definition_, kIdentity, false);
  record(first, 5);
  const Connection second(path_.string(), Connection::Access::Write);
  const std::string error = test::message_of([&] { second.execute("INSERT INTO points SELECT * FROM points"); });
  EXPECT_TRUE(test::has(error, "another process has written the same rows"));
}

TEST_F(Stores, OthersMayReadWhileItIsWritten) {
  Store store(path_);
  store.begin(definition_, kIdentity, false);
  record(store, 4);
  EXPECT_EQ(Results(path_).read_points().size(), 1U);
  record(store, 5);
  EXPECT_EQ(Results(path_).read_points().size(), 2U);
}

TEST_F(Stores, RowsOfAnotherConfigurationOrVersionAreNeverMixed) {
  run(path_, {1});
  {
    Store store(path_);
    EXPECT_TRUE(test::fails(
        [&] {
          store.begin(definition_, {"other", kIdentity.code_version}, false);
        },
        "another sweep"));
    const std::string error = test::message_of([&] {
      store.begin(definition_, {kIdentity.digest, "2.0+code"}, false);
    });
    EXPECT_TRUE(test::has(error, "weft 1.0+code, and this is weft 2.0+code"));
  }
  {
    Store store(path_);
    store.begin(definition_, {kIdentity.digest, "2.0+code"}, true);
    EXPECT_TRUE(store.recorded().empty());
    record(store, 1);
    record(store, 2);
    store.close();
  }
  EXPECT_EQ(Results(path_).read_points().size(), 2U);  // the newest
  EXPECT_EQ(Results(path_, 1).read_points().size(), 1U);
  Store store(path_);
  store.begin(definition_, kIdentity, false);  // the first one again
  EXPECT_EQ(store.sweep(), 1);
}

// A file of an older weft without a design, here also without the columns of LUTs and registers.
TEST_F(Stores, AFileWithoutColumnsOfTodayIsReadAsItIsAndGivenThemBeforeItIsWrittenTo) {
  run(path_, {1});
  {
    Connection old(path_.string(), Connection::Access::Write);
    old.execute("DROP VIEW results_1");
    for (const char* table : {"points", "convolutions"}) {
      for (const char* column : {"lut", "ff"}) {
        old.execute(std::string("ALTER TABLE ") + table + " DROP COLUMN " + column);
      }
    }
    for (const char* column : {"lut_available", "ff_available"}) {
      old.execute(std::string("ALTER TABLE points DROP COLUMN ") + column);
    }
  }
  const auto lut = static_cast<std::size_t>(record::find_column(point_columns(), "lut"));
  const auto dsp = static_cast<std::size_t>(record::find_column(point_columns(), "dsp"));
  const auto row_lut = static_cast<std::size_t>(record::find_column(convolution_columns(), "lut"));
  const auto expect_old_row = [&] {
    const Results results(path_, 1);
    ASSERT_EQ(results.read_points().size(), 1U);
    EXPECT_EQ(results.read_points()[0].fields[lut], Value());
    EXPECT_EQ(results.read_points()[0].fields[dsp], Value(std::int64_t{1}));
    ASSERT_EQ(results.read_convolutions().size(), 2U);
    EXPECT_EQ(results.read_convolutions()[0].fields[row_lut], Value());
    EXPECT_EQ(results.read_convolutions()[0].fields.back(), Value(std::int64_t{1}));
  };
  const auto lacking = [&] {
    return missing_columns(Connection(path_.string(), Connection::Access::Read), "points", point_columns()).size();
  };
  expect_old_row();
  EXPECT_EQ(lacking(), 4U);
  {
    Store store(path_);
    EXPECT_NE(test::message_of([&] { store.begin(definition_, {kIdentity.digest, "2.0+code"}, false); }), "nothing");
    store.close();
  }
  EXPECT_EQ(lacking(), 4U);  // the refused operations have changed nothing
  {
    Store store(path_);
    store.begin(definition_, {kIdentity.digest, "2.0+code"}, true);
    record(store, 7);
    store.close();
  }
  EXPECT_EQ(lacking(), 0U);
  expect_old_row();
  const Results results(path_);
  ASSERT_EQ(results.read_points().size(), 1U);
  EXPECT_EQ(results.read_points()[0].fields[lut], Value(std::int64_t{7}));
  EXPECT_EQ(results.read_convolutions()[1].fields[row_lut], Value(std::int64_t{7}));
}

TEST_F(Stores, ForeignFilesAreRefusedAndLeftAsTheyAre) {
  dir_.write("text.db", "not a database, but long enough to be taken for one");
  { Connection(dir_.path() / "other.db", Connection::Access::Create).execute("CREATE TABLE mine (a)"); }
  for (const auto& [name, schema] : {std::pair("newer.db", kSchema + 1), std::pair("older.db", kSchema - 1)}) {
    Store store(dir_.path() / name);
    store.begin(definition_, kIdentity, false);
    store.close();
    Connection(dir_.path() / name, Connection::Access::Write)
        .execute("PRAGMA user_version = " + std::to_string(schema));
  }
  const std::vector<std::pair<std::string, std::string>> cases{
      {"text.db", "is no database of weft"},
      {"other.db", "database of another program"},
      {"newer.db", "written by a newer weft (schema " + std::to_string(kSchema + 1)},
      {"older.db", "run the sweep again, into another file with --out"}};
  const std::vector<std::string> before = dir_.listing();
  for (const auto& [name, wanted] : cases) {
    const fs::path path = dir_.path() / name;
    const std::string content = test::read_text_file(path);
    const std::string error = test::message_of([&] { Store store(path); });
    EXPECT_TRUE(test::has(error, wanted));
    EXPECT_EQ(test::read_text_file(path), content) << name;
    EXPECT_NE(test::message_of([&] { Results results(path); }), "nothing") << name;
  }
  EXPECT_EQ(dir_.listing(), before);
}

TEST_F(Stores, PlacesThatCannotBeWrittenAreSaid) {
  EXPECT_TRUE(test::fails([&] { Store store(dir_.path()); }, "is a directory"));
  EXPECT_TRUE(test::fails([&] { Store store(dir_.path() / "no" / "r.db"); }, "is not a directory"));
  EXPECT_TRUE(test::fails([&] { Store store("/dev/null"); }, "no ordinary file"));
  EXPECT_TRUE(test::fails([&] { Store store("/proc/r.db"); }, "cannot write '/proc/r.db.lock'"));
}

TEST_F(Stores, AFullDiskIsSaidAndLosesNothing) {
  const fs::path disk = dir_.path() / "disk";
  fs::create_directory(disk);
  if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=1m") != 0) GTEST_SKIP() << "needs the right to mount a tmpfs";
  std::int64_t last = -1;
  std::string error;
  {
    Store store(disk / "r.db");
    store.begin(definition_, kIdentity, false);
    error = test::message_of([&] {
      for (std::int64_t point = 0; point < 20000; ++point) {
        record(store, point);
        last = point;
      }
    });
  }
  EXPECT_TRUE(test::has(error, "is the disk full?"));
  EXPECT_TRUE(test::has(error, "is safe"));
  EXPECT_GT(last, 20);
  EXPECT_EQ(static_cast<std::int64_t>(Results(disk / "r.db").read_points().size()), last + 1);
  // With free space again it continues.
  EXPECT_EQ(::mount("tmpfs", disk.c_str(), "tmpfs", MS_REMOUNT, "size=8m"), 0);
  {
    Store store(disk / "r.db");
    store.begin(definition_, kIdentity, false);
    EXPECT_EQ(*store.recorded().rbegin(), last);
    record(store, last + 1);
    store.close();
    EXPECT_EQ(static_cast<std::int64_t>(Results(disk / "r.db").read_convolutions().size()), 2 * (last + 2));
  }
  ::umount2(disk.c_str(), MNT_DETACH);
}

TEST_F(Stores, AFullDiskAtTheStartLeavesNothing) {
  const fs::path disk = dir_.path() / "disk";
  fs::create_directory(disk);
  if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=16k") != 0) GTEST_SKIP() << "needs the right to mount a tmpfs";
  EXPECT_TRUE(test::fails([&] { Store store(disk / "r.db"); }, "is the disk full?"));
  EXPECT_TRUE(fs::is_empty(disk));
  ::umount2(disk.c_str(), MNT_DETACH);
}

TEST_F(Stores, MergingTakesOverWhatIsMissing) {
  {
    Store other(dir_.path() / "o.db");
    other.begin(definition_, kIdentity, false);
    record(other, 1);
    record(other, 2);
    record(other, 9, "wrong");
    other.close();
  }
  Store store(path_);
  store.begin(definition_, kIdentity, false);
  record(store, 2);
  EXPECT_EQ(store.merge(dir_.path() / "o.db", kIdentity), 2);
  EXPECT_EQ(store.merge(dir_.path() / "o.db", kIdentity), 0);
  EXPECT_EQ(store.recorded(), (std::set<std::int64_t>{1, 2, 9}));
  EXPECT_TRUE(test::fails([&] { store.merge(dir_.path() / "o.db", {"x", "y"}); }, "holds no points of this sweep"));
  store.close();
  const Results results(path_);
  EXPECT_EQ(results.read_points().size(), 3U);
  EXPECT_EQ(results.read_convolutions().size(), 4U);
}

}  // namespace
}  // namespace weft::sweep
