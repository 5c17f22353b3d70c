// The launcher ./weft in its own tree, with stand-ins for the programs that it calls: they record their calls, and the
// "build" makes a binary that prints its arguments and its directory.
#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <thread>

#include "tests/support/run_binary.h"
#include "tests/support/texts.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

class Launcher : public testing::Test {
 protected:
  void SetUp() override {
    tree_ = dir_.path() / "the tree";
    fs::create_directories(tree_);
    fs::copy_file(WEFT_SOURCE_DIR "/weft", tree_ / "weft");
    write("packages.txt", "# head\nhave-this  # there\nneed-this  # not there\n");
    write("CMakeLists.txt", "# build\n");
    write("tools/main/main.cpp", "// source\n");
    write("tests/a_test.cpp", "// test\n");
    program("cmake", R"sh(echo "cmake $*" >>"$CALLS"
case "$1" in
  --build)
    [ ! -e "$CALLS.break" ] || { echo "[1/2] fine"; echo "weft.cpp:1: error: broken"; exit 1; }
    sleep "${BUILD_SECONDS:-0}"
    for target; do :; done
    [ "$target" != all ] || target=weft
    printf '#!/bin/sh\necho "args:$#"; for a in "$@"; do echo "arg:$a"; done; echo "cwd:$(pwd)"; exit 7\n' \
      >"build/release/tools/$target"
    chmod +x "build/release/tools/$target" ;;
  *) mkdir -p build/release/tools ;;
esac
)sh");
    program("ctest", "echo \"ctest $*\"\nexit 5\n");
    program("dpkg-query",
            "case \"$4$3\" in *have-this*) echo installed;; *) [ -e \"$CALLS.installed\" ] && echo installed;; esac\n");
    program("apt-get", "echo \"apt-get $*\" >>\"$CALLS\"\ncase \"$1\" in install) touch \"$CALLS.installed\";; esac\n");
    program("id", "echo 0\n");
  }

  void write(const std::string& name, const std::string& content) { dir_.write("the tree/" + name, content); }
  void program(const std::string& name, const std::string& script) {
    const fs::path path = dir_.write("bin/" + name, "#!/bin/sh\n" + script);
    fs::permissions(path, fs::perms::owner_all);
  }
  test::Outcome start(const std::vector<std::string>& arguments, const fs::path& launcher = {},
                      const fs::path& cwd = {}, const std::string& path = "/usr/bin:/bin",
                      const std::string& seconds = "0") {
    return test::run_program((launcher.empty() ? tree_ / "weft" : launcher).string(), arguments,
                             cwd.empty() ? dir_.path() : cwd, "",
                             {"PATH=" + (dir_.path() / "bin").string() + ":" + path, "CALLS=" + calls_file(),
                              "BUILD_SECONDS=" + seconds, "WEFT_ALIVE_SECONDS=1"});
  }
  // Makes the tree's bin a sufficient PATH for the launcher, with these programs of this machine.
  void only_these(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      for (const char* folder : {"/usr/bin/", "/bin/"}) {
        if (fs::exists(folder + name) && !fs::exists(dir_.path() / "bin" / name)) {
          fs::create_symlink(folder + name, dir_.path() / "bin" / name);
        }
      }
    }
  }
  std::string calls_file() const { return (dir_.path() / "calls").string(); }
  std::string calls() const { return test::read_text_file(calls_file()); }
  long builds() const {
    const std::string all = calls();
    long count = 0;
    for (auto at = all.find("cmake --build"); at != std::string::npos; at = all.find("cmake --build", at + 1)) ++count;
    return count;
  }
  // Makes a file newer than the last build, for any resolution of the file system's clock.
  void touch(const std::string& name) {
    fs::last_write_time(tree_ / name, fs::file_time_type::clock::now() + std::chrono::seconds(5));
  }

  test::TemporaryDirectory dir_;
  fs::path tree_;
};

TEST_F(Launcher, BuildsOnceAndPassesArgumentsDirectoryAndExitCodeOn) {
  const fs::path cwd = dir_.path() / "some where";
  fs::create_directory(cwd);
  for (int i = 0; i < 3; ++i) {
    const test::Outcome outcome = start({"run", "a b", "", "--set", "x=*"}, {}, cwd);
    EXPECT_EQ(outcome.exit_code, 7) << outcome.err;
    EXPECT_EQ(outcome.out, "args:5\narg:run\narg:a b\narg:\narg:--set\narg:x=*\ncwd:" + cwd.string() + "\n");
    EXPECT_EQ(outcome.err.empty(), i > 0) << outcome.err;
  }
  EXPECT_EQ(builds(), 1);
}

TEST_F(Launcher, WorksThroughLinksToIt) {
  fs::create_symlink(tree_ / "weft", dir_.path() / "link one");
  fs::create_symlink("link one", dir_.path() / "link two");
  EXPECT_EQ(start({}, dir_.path() / "link two").exit_code, 7);
  EXPECT_TRUE(fs::exists(tree_ / "build/release/tools/weft"));
}

TEST_F(Launcher, OneBuildServesAllCommands) {
  start({"run"});
  start({"show"});
  EXPECT_EQ(builds(), 1);
  EXPECT_TRUE(test::has(calls(), "--target weft\n"));
}

TEST_F(Launcher, BuildsAgainWhenASourceIsNewerAddedOrRemovedAndOnlyThen) {
  start({});
  touch("tests/a_test.cpp");  // not part of the binary
  start({});
  EXPECT_EQ(builds(), 1);
  touch("tools/main/main.cpp");
  start({});
  EXPECT_EQ(builds(), 2);
  fs::last_write_time(tree_ / "tools/main/main.cpp", fs::file_time_type::clock::now() - std::chrono::hours(1));
  start({});
  EXPECT_EQ(builds(), 2);
  write("tools/more.cpp", "// new, but with an old date\n");
  fs::last_write_time(tree_ / "tools/more.cpp", fs::file_time_type::clock::now() - std::chrono::hours(1));
  touch("tools");
  start({});
  EXPECT_EQ(builds(), 3);
}

TEST_F(Launcher, BuildsAgainWhenTheBinaryIsGone) {
  start({});
  fs::remove(tree_ / "build/release/tools/weft");
  EXPECT_EQ(start({}).exit_code, 7);
}

TEST_F(Launcher, ShowsWhatFailedAndTriesAgainNextTime) {
  std::ofstream(calls_file() + ".break") << "";
  const test::Outcome failed = start({});
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_EQ(failed.out, "");
  EXPECT_TRUE(test::has(failed.err, "weft.cpp:1: error: broken"));
  EXPECT_FALSE(test::has(failed.err, "[1/2] fine"));
  fs::remove(calls_file() + ".break");
  EXPECT_EQ(start({}).exit_code, 7);
}

TEST_F(Launcher, ABuildThatTakesLongSaysThatItLives) {
  const auto lines_of = [](const std::string& text) {
    long count = 0;
    for (auto at = text.find(" s so far"); at != std::string::npos; at = text.find(" s so far", at + 1)) ++count;
    return count;
  };
  const test::Outcome outcome = start({}, {}, {}, "/usr/bin:/bin", "3.5");
  EXPECT_EQ(outcome.exit_code, 7);
  EXPECT_GE(lines_of(outcome.err), 2) << outcome.err;
  EXPECT_LE(lines_of(outcome.err), 4) << outcome.err;
  EXPECT_TRUE(test::has(outcome.err, "weft: building, "));
  fs::remove(tree_ / "build/release/tools/weft");
  EXPECT_EQ(lines_of(start({}).err), 0) << "a short one says nothing more";
}

TEST_F(Launcher, ConcurrentStartsBuildOnce) {
  std::vector<int> codes(4);
  std::vector<std::thread> threads;
  threads.reserve(codes.size());
  for (int& code : codes) {
    threads.emplace_back([this, &code] { code = start({}, {}, {}, "/usr/bin:/bin", "0.3").exit_code; });
  }
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(codes, (std::vector<int>{7, 7, 7, 7}));
  EXPECT_EQ(builds(), 1);
}

TEST_F(Launcher, BuildsAgainInATreeThatWasMoved) {
  start({});
  const fs::path moved = dir_.path() / "another tree";
  fs::rename(tree_, moved);
  EXPECT_EQ(start({}, moved / "weft").exit_code, 7);
  EXPECT_EQ(builds(), 2);
  start({}, moved / "weft");
  EXPECT_EQ(builds(), 2);
}

TEST_F(Launcher, ConfiguresTheTestsForTestsOnlyAndThenLeavesThem) {
  start({});
  EXPECT_TRUE(test::has(calls(), "cmake --preset release -DWEFT_TESTS=OFF\n"));
  start({"test"});
  EXPECT_TRUE(test::has(calls(), "cmake --preset release -DWEFT_TESTS=ON -DWEFT_TORCH=ON -DWEFT_BENCH=ON\n"));
  write("build/release/CMakeCache.txt", "CMAKE_HOME_DIRECTORY:INTERNAL=" + tree_.string() + "\n");
  touch("tools/main/main.cpp");
  start({});
  EXPECT_TRUE(test::has(calls(), "cmake --preset release\n"));
}

TEST_F(Launcher, InstallsOnlyWhatIsMissing) {
  write("packages-test.txt", "test-this  # for a test\n");
  EXPECT_EQ(start({}).exit_code, 7);
  EXPECT_TRUE(test::has(calls(), "apt-get install --yes --no-install-recommends need-this\n"));
}

TEST_F(Launcher, InstallsWhatOnlyTestsNeedForTestsOnly) {
  write("packages-test.txt", "test-this  # for a test\n");
  EXPECT_EQ(start({"test"}).exit_code, 5);
  EXPECT_TRUE(test::has(calls(), "apt-get install --yes --no-install-recommends need-this test-this\n"));
}

TEST_F(Launcher, InstallInstallsWhatTheListsNameAndBuildsNothing) {
  write("packages-one.txt", "one-this  # for one\n");
  write("packages-two.txt", "have-this  # there\ntwo-this  # for two\n");
  const test::Outcome outcome = start({"install", "two"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(calls(), "apt-get install --yes --no-install-recommends two-this\n");
  EXPECT_EQ(start({"install", "two"}).err, "");  // nothing is missing now
  EXPECT_EQ(calls(), "apt-get install --yes --no-install-recommends two-this\n");
  fs::remove(calls_file() + ".installed");
  fs::remove(calls_file());
  EXPECT_EQ(start({"install"}).exit_code, 0);
  EXPECT_EQ(calls(), "apt-get install --yes --no-install-recommends need-this one-this two-this\n");
}

TEST_F(Launcher, InstallRefusesWhatItDoesNotKnow) {
  write("packages-one.txt", "one-this  # for one\n");
  write("packages-two.txt", "two-this  # for two\n");
  const test::Outcome outcome = start({"install", "one", "three"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.err, "weft: error: there is no list 'three'; lists: one two\n");
  EXPECT_EQ(start({"install", "--frob"}).exit_code, 2);
  EXPECT_EQ(start({"install", "--help"}).exit_code, 0);
  EXPECT_FALSE(fs::exists(calls_file()));
}

TEST_F(Launcher, PythonFindsTheModuleAndTheBinaryAndInstallsItsListOnce) {
  write("packages.txt", "have-this  # there\n");
  write("packages-python.txt", "python-this  # for Python\n");
  write("python/weft/__init__.py", "place = __file__\n");
  const std::string said = "import os, sys, weft; print(weft.place, os.environ['WEFT_BINARY'], sys.argv[1:]); exit(9)";
  for (int i = 0; i < 2; ++i) {
    const test::Outcome outcome = start({"python", "-c", said, "a b", ""});
    EXPECT_EQ(outcome.exit_code, 9) << outcome.err;
    EXPECT_EQ(outcome.out, (tree_ / "python/weft/__init__.py").string() + " " +
                               (tree_ / "build/release/tools/weft").string() + " ['a b', '']\n");
    EXPECT_EQ(outcome.err.empty(), i > 0) << outcome.err;
  }
  EXPECT_TRUE(test::has(calls(), "apt-get install --yes --no-install-recommends python-this\n"));
  EXPECT_EQ(builds(), 1);
  EXPECT_TRUE(test::has(start({"python", "--help"}).out, "weft python [FILE"));
}

TEST_F(Launcher, DocsInstallsItsListBuildsTheSiteAndPrintsItsFirstPage) {
  write("packages-docs.txt", "docs-this  # for the site\n");
  program("mkdocs",
          "echo \"mkdocs $*\" >>\"$CALLS\"\n[ ! -e \"$CALLS.break\" ] || { echo 'WARNING - broken link'; exit 1; }\n");
  test::Outcome outcome = start({"docs"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(test::has(outcome.err, "weft: the tree/build/docs/index.html\n"));
  EXPECT_EQ(calls(),
            "apt-get install --yes --no-install-recommends docs-this\nmkdocs build --quiet --strict --site-dir " +
                (tree_ / "build/docs").string() + "\n");
  EXPECT_EQ(start({"docs"}, {}, tree_).err, "weft: build/docs/index.html\n") << "relative to the folder";
  dir_.write("calls.break", "");
  outcome = start({"docs"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.err,
            "WARNING - broken link\nweft: error: the site of the documentation could not be built; the output of "
            "mkdocs is in " +
                (tree_ / "build/weft-docs.log").string() + "\n");
  EXPECT_EQ(start({"docs", "--frob"}).exit_code, 2);
  EXPECT_EQ(start({"docs", "site"}).exit_code, 2);
  EXPECT_TRUE(test::has(start({"docs", "--help"}).out, "Usage: weft docs\n"));
  EXPECT_EQ(builds(), 0);
}

TEST_F(Launcher, PackageBuildsInItsOwnFolderAndPrintsThePath) {
  write("packages-package.txt", "package-this  # for the package\n");
  program("cmake", "echo \"cmake $*\" >>\"$CALLS\"\n");
  program("cpack",
          "echo \"cpack $* in $PWD\" >>\"$CALLS\"\n[ -e \"$CALLS.break\" ] || : >\"weft_$$_amd64.deb\"\n"
          "[ ! -e \"$CALLS.break\" ]\n");
  const std::string place = (tree_ / "build/package").string();
  for (int i = 0; i < 2; ++i) {
    const test::Outcome outcome = start({"package"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 1) << "the old package is removed";
    EXPECT_EQ(outcome.out.rfind(place + "/weft_", 0), 0U) << outcome.out;
  }
  EXPECT_EQ(calls().find("apt-get install --yes --no-install-recommends need-this package-this\n"
                         "cmake --preset package\ncmake --build --preset package\ncpack -G DEB in " +
                         place + "\n"),
            0U)
      << calls();
  std::ofstream(calls_file() + ".break") << "";
  const test::Outcome failed = start({"package"});
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_EQ(failed.out, "");
  EXPECT_TRUE(test::has(failed.err, "the package could not be built; the whole output is in " + place));
  EXPECT_FALSE(fs::exists(tree_ / "build/release"));
}

TEST_F(Launcher, PackageRefusesArguments) {
  const test::Outcome outcome = start({"package", "--frob"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.err, "weft: error: weft package takes no arguments, not '--frob' (see weft package --help)\n");
  EXPECT_EQ(start({"package", "--help"}).exit_code, 0);
  EXPECT_FALSE(fs::exists(calls_file()));
}

TEST_F(Launcher, WithoutRootAndSudoPrintsTheCommandAndStops) {
  program("id", "echo 1000\n");
  only_these({"bash", "env", "readlink", "dirname", "find", "flock", "mkdir", "touch", "mv", "tail", "grep", "rm",
              "sleep", "cat", "sed", "sort"});  // no sudo
  const test::Outcome outcome = start({}, {}, {}, "/nonexistent");
  EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
  EXPECT_TRUE(test::has(outcome.err, "apt-get install --yes --no-install-recommends need-this\n"));
  EXPECT_EQ(builds(), 0);
}

TEST_F(Launcher, WithoutDpkgGoesOnIfAllIsThereAndElseNamesWhatIsMissingInOneLine) {
  only_these({"bash", "env", "readlink", "dirname", "find", "flock", "mkdir", "touch", "mv", "tail", "grep", "rm",
              "sleep", "cat", "chmod", "sed", "sort", "g++"});
  fs::remove(dir_.path() / "bin/dpkg-query");
  write("packages.txt",
        "# head\nlibc-dev stdio.h  # a header\nthing-bin no-thing\nlibthing-dev thing/no_thing.h # one more\n");
  write("packages-one.txt", "libone-dev one.h  # for one\nunprobed  # cannot be told\n");
  const test::Outcome outcome = start({}, {}, {}, "/nonexistent");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.err,
            "weft: error: missing (Debian package in brackets): no-thing (thing-bin), "
            "<thing/no_thing.h> (libthing-dev); install them and start again\n");
  EXPECT_EQ(builds(), 0);
  program("no-thing", "");
  write("packages.txt", "libc-dev stdio.h  # a header\nthing-bin no-thing # a program\n");
  EXPECT_EQ(start({}, {}, {}, "/nonexistent").exit_code, 7);
  const test::Outcome one = start({"install", "one"}, {}, {}, "/nonexistent");
  EXPECT_EQ(one.exit_code, 2);
  EXPECT_TRUE(test::has(one.err, ": <one.h> (libone-dev);"));
}

TEST_F(Launcher, WithoutRootUsesSudo) {
  program("id", "echo 1000\n");
  program("sudo", "echo \"sudo $*\" >>\"$CALLS\"\nexec \"$@\"\n");
  EXPECT_EQ(start({}).exit_code, 7);
  EXPECT_TRUE(test::has(calls(), "sudo env DEBIAN_FRONTEND=noninteractive apt-get install"));
}

TEST_F(Launcher, TestBuildsEverythingAndRunsTheRunner) {
  program("nproc", "echo 3\n");
  program("ctest", R"sh(echo "ctest $*"
cat >build/release/tests.xml <<'EOF'
	<testcase name="A.Short" classname="A.Short" time="0.5" status="run">
	<testcase name="B.Long" classname="B.Long" time="12.25" status="run">
EOF
exit 5
)sh");
  const std::string build = (tree_ / "build/release").string();
  const std::string runner =
      "ctest --test-dir " + build + " -j 3 --output-on-failure --output-junit " + build + "/tests.xml";
  const std::string slowest = "\nThe slowest tests:\n    12.2 s  B.Long\n     0.5 s  A.Short\n";
  const test::Outcome all = start({"test"}, {}, tree_);
  EXPECT_EQ(all.exit_code, 5);
  EXPECT_EQ(all.out, runner + " --no-tests=error\n" + slowest);
  EXPECT_TRUE(test::has(calls(), "--target all"));
  EXPECT_EQ(start({"test", "fast"}, {}, tree_).out, runner + " --no-tests=error -LE cosim|rtl|slow\n" + slowest);
  EXPECT_EQ(builds(), 1);
  EXPECT_EQ(start({"show"}).exit_code, 7);  // the tests' build also made the binary
  EXPECT_EQ(builds(), 1);
}

// A pipe holds 64 KiB; the list of these tests is longer.
TEST_F(Launcher, TestsThatPassExitWithZeroHoweverManyThereAre) {
  program("ctest", R"sh(seq 1 5000 |
  sed 's,.*,<testcase name="Suite.HasALongNameOfACase&" time="&">,' >build/release/tests.xml
)sh");
  const test::Outcome all = start({"test"}, {}, tree_);
  EXPECT_EQ(all.exit_code, 0) << all.err;
  EXPECT_EQ(all.out.find("\nThe slowest tests:\n  5000.0 s  Suite.HasALongNameOfACase5000\n"), 0U) << all.out;
  EXPECT_EQ(std::count(all.out.begin(), all.out.end(), '\n'), 12);
}

// A unit-test program is one test of CTest.
TEST_F(Launcher, ANameSelectsCasesOfUnitTestProgramsAndOtherTests) {
  start({"test"});
  for (const char* const name : {"one_test", "two_test"}) {
    const fs::path path = dir_.write(
        "the tree/build/release/tests/unit/" + std::string(name),
        "#!/bin/sh\necho 'Running main()'\ncase $2 in '--gtest_filter=*Config*:*Node*') [ \"${0##*/}\" = two_test ] || "
        "printf 'Config.\\n  Reads\\n' ;; esac\n");
    fs::permissions(path, fs::perms::owner_all);
  }
  program("ctest", "echo \"ctest $* (${GTEST_FILTER-})\"\n");
  const test::Outcome some = start({"test", "Config|Node"});
  EXPECT_EQ(some.exit_code, 0);
  EXPECT_TRUE(test::has(some.out, "--no-tests=ignore -R ^(one_test)$ (*Config*:*Node*)\n"));
  EXPECT_TRUE(test::has(some.out, "--no-tests=ignore -R Config|Node ()\n"));
  const test::Outcome other = start({"test", "Cosim"});
  EXPECT_TRUE(test::has(other.out, "--no-tests=error -R Cosim ()\n"));
  EXPECT_FALSE(test::has(other.out, "one_test"));
}

TEST_F(Launcher, TestRefusesWhatItDoesNotKnow) {
  EXPECT_EQ(start({"test", "--frob"}).exit_code, 2);
  EXPECT_EQ(start({"test", "a", "b"}).exit_code, 2);
  EXPECT_EQ(start({"test", "--help"}).exit_code, 0);
  EXPECT_EQ(builds(), 0);
}

// Expects one line from the launcher, none from the shell.
void expect_said(const test::Outcome& outcome, const std::string& what) {
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.err.rfind("weft: error: ", 0), 0U) << outcome.err;
  EXPECT_TRUE(test::has(outcome.err, what));
  EXPECT_FALSE(test::has(outcome.err, ": line "));
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
}

TEST_F(Launcher, SaysInOneLineWhatItCannotWrite) {
  const fs::path lock = tree_ / "build/.lock", log = tree_ / "build/release/weft-build.log";
  fs::create_directories(lock);  // stops root too
  expect_said(start({}), "cannot write '" + lock.string() + "': this checkout is not built");
  write("packages-one.txt", "one-this  # for one\n");
  expect_said(start({"install", "one"}), "run as root: apt-get install --yes --no-install-recommends one-this");
  fs::remove(lock);
  fs::create_directories(log);
  expect_said(start({}), "cannot write '" + log.string() + "'");
  fs::remove(log);
  EXPECT_EQ(start({}).exit_code, 7);
}

TEST_F(Launcher, ALogThatCannotBeWrittenAnyMoreIsSaidOnce) {
  program("cmake", R"sh(case "$1" in
  --build)
    echo "[1/3] one"
    sleep 1; rm build/release/weft-build.log; mkdir build/release/weft-build.log
    echo "[2/3] two"; echo "[3/3] three"
    printf '#!/bin/sh\nexit 7\n' >build/release/tools/weft; chmod +x build/release/tools/weft ;;
  *) mkdir -p build/release/tools ;;
esac
)sh");
  const test::Outcome outcome = start({});
  EXPECT_EQ(outcome.exit_code, 7);
  const std::string said = "weft: cannot write '" + (tree_ / "build/release/weft-build.log").string() + "'";
  EXPECT_TRUE(test::has(outcome.err, said));
  EXPECT_EQ(outcome.err.find(said), outcome.err.rfind(said)) << outcome.err;
  EXPECT_FALSE(test::has(outcome.err, ": line "));
}

TEST_F(Launcher, AReadOnlyTreeThatIsBuiltWorksAndAnotherSaysWhatToDo) {
  start({});
  start({"show"});
  const std::string place = tree_.string();
  if (::mount(place.c_str(), place.c_str(), nullptr, MS_BIND, nullptr) != 0) {
    GTEST_SKIP() << "needs the right to mount";
  }
  ASSERT_EQ(::mount(nullptr, place.c_str(), nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr), 0);
  const test::Outcome run = start({"run"}), test = start({"test"});
  ASSERT_EQ(::umount(place.c_str()), 0);
  EXPECT_EQ(run.exit_code, 7);
  EXPECT_EQ(run.err, "");
  expect_said(test, "build it as its owner, or copy it to a folder of your own");
}

TEST_F(Launcher, MessagesThatCannotBeWrittenEndNothing) {
  for (const std::string stream : {"2>/dev/full", "2>&-"}) {
    fs::remove_all(tree_ / "build");
    const test::Outcome outcome = start({"-c", "\"$0\" run a " + stream, (tree_ / "weft").string()}, "/bin/bash");
    EXPECT_EQ(outcome.exit_code, 7) << stream;  // the exit code of the binary
    EXPECT_TRUE(test::has(outcome.out, "arg:a\n")) << stream;
  }
}

TEST_F(Launcher, ForgetsTheCacheOfAnotherPlace) {
  start({});
  write("build/release/CMakeCache.txt", "CMAKE_HOME_DIRECTORY:INTERNAL=/some/where/else\n");
  touch("tools/main/main.cpp");
  start({});
  EXPECT_FALSE(fs::exists(tree_ / "build/release/CMakeCache.txt"));
}

}  // namespace
}  // namespace weft
