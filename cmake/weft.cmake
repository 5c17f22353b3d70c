find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(GTest REQUIRED)
pkg_check_modules(SYSTEMC REQUIRED IMPORTED_TARGET systemc)

# Every weft target is compiled with these; -ffp-contract=off because data mode must round each product and each sum.
add_library(weft_options INTERFACE)
target_compile_options(weft_options INTERFACE -Wall -Wextra -Wpedantic -Werror -ffp-contract=off)
target_include_directories(weft_options INTERFACE ${PROJECT_SOURCE_DIR})
if(WEFT_NATIVE)
  target_compile_options(weft_options INTERFACE -march=native)
endif()
if(WEFT_SANITIZE)
  target_compile_options(weft_options INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all
                                                -fno-omit-frame-pointer)
  target_link_options(weft_options INTERFACE -fsanitize=address,undefined)
endif()
if(WEFT_TIDY)
  set(CMAKE_CXX_CLANG_TIDY clang-tidy)
endif()

# weft_library(name SOURCES a.cpp ... DEPENDS weft_core ...): one CMake target per folder, so that the linker enforces
# the order kernels <- model <- workloads <- platform <- tools.
function(weft_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC weft_options ${ARG_DEPENDS})
endfunction()

# weft_test(name LABEL unit SOURCES a_test.cpp ... DEPENDS weft_core ... [TIMEOUT seconds]): one executable, one CTest
# entry per GoogleTest case.
function(weft_test name)
  cmake_parse_arguments(ARG "" "LABEL;TIMEOUT" "SOURCES;DEPENDS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 60)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE weft_options ${ARG_DEPENDS} GTest::gtest_main)
  include(GoogleTest)
  gtest_discover_tests(
    ${name}
    DISCOVERY_MODE PRE_TEST
    PROPERTIES LABELS "${ARG_LABEL}" TIMEOUT ${ARG_TIMEOUT})
endfunction()
