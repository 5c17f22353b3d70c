#include "platform/os/failure.h"

#include <new>
#include <system_error>

#include "tests/support/texts.h"

namespace weft::os {
namespace {

template <class Exception>
Ending ending(const Exception& exception) {
  return ending_of(std::make_exception_ptr(exception));
}

TEST(Failure, OfAResourceIsTheMachinesAndNamesTheLimit) {
  for (const auto& [code, limit] : {std::pair(EFBIG, "ulimit -f"), std::pair(EMFILE, "ulimit -n"),
                                    std::pair(EAGAIN, "ulimit -u"), std::pair(ENOMEM, "ulimit -v")}) {
    const std::string message = test::message_of<MachineError>([code = code] { fail("cannot do 'x'", code); });
    EXPECT_EQ(message.rfind("cannot do 'x': ", 0), 0U) << code;
    EXPECT_TRUE(test::has(message, limit));
  }
}

TEST(Failure, OfAPlaceIsTheUsers) {
  for (const int code : {EACCES, ENOENT, EROFS, ENOTDIR}) {
    try {
      fail("cannot do 'x'", code);
    } catch (const MachineError& error) {
      ADD_FAILURE() << error.what();
    } catch (const Error&) {
    }
  }
}

TEST(Failure, EndsAProgramWithTheExitCodeOfReadme) {
  EXPECT_EQ(ending(Error("a")).exit_code, 2);
  EXPECT_EQ(ending(InputError("f", 1, "k", "a")).exit_code, 2);
  EXPECT_EQ(ending(Deadlock("a")).exit_code, 3);
  EXPECT_EQ(ending(Mismatch("a")).exit_code, 1);
  EXPECT_EQ(ending(MachineError("a")).exit_code, 1);
  EXPECT_EQ(ending(std::bad_alloc()).exit_code, 1);
  EXPECT_EQ(ending(std::runtime_error("a")).exit_code, 1);
  EXPECT_STREQ(ending(std::runtime_error("a")).kind, "internal error");
}

TEST(Failure, NamesTheResourceThatTheStandardLibraryMissed) {
  EXPECT_STREQ(ending(std::bad_alloc()).kind, "error");
  EXPECT_TRUE(test::has(ending(std::bad_alloc()).text, "ulimit -v"));
  const std::system_error thread(EAGAIN, std::generic_category(), "cannot start a thread");
  EXPECT_EQ(ending(thread).exit_code, 1);
  EXPECT_TRUE(test::has(ending(thread).text, "ulimit -u"));
}

}  // namespace
}  // namespace weft::os
