find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(yaml-cpp REQUIRED)
pkg_check_modules(SYSTEMC REQUIRED IMPORTED_TARGET systemc)

# Warnings of every target, those without the rest of weft included.
add_library(weft_warnings INTERFACE)
target_compile_options(weft_warnings INTERFACE -Wall -Wextra -Wpedantic $<$<BOOL:${WEFT_WERROR}>:-Werror>)

# Every weft target is compiled with these; -ffp-contract=off because data mode must round each product and each sum.
add_library(weft_options INTERFACE)
target_link_libraries(weft_options INTERFACE weft_warnings fmt::fmt)
target_compile_options(weft_options INTERFACE -ffp-contract=off)
target_include_directories(weft_options INTERFACE ${PROJECT_SOURCE_DIR})
# The collector of GCC's own memory takes a seventh of its time unless it may use half a gigabyte before it starts.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(weft_options INTERFACE --param=ggc-min-heapsize=524288)
endif()
# SystemC 3 no longer needs SC_HAS_PROCESS, and marks it as deprecated; SystemC 2 needs it. GCC does not warn of it.
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  target_compile_definitions(weft_options INTERFACE SC_ALLOW_DEPRECATED_IEEE_API)
endif()
if(WEFT_NATIVE)
  target_compile_options(weft_options INTERFACE -march=native)
  # GCC 12.0 to 12.2 make four equal words of {a, a, a, 0} where they move constants by 32 bytes, as for Intel's later
  # processors (its PR 108599; tests/unit/model/core/compiler_test.cpp). clang does not know the options: .ci/steps takes them
  # out of what clang-tidy reads.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU"
     AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12.3
     AND NOT WEFT_TIDY
     AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|amd64|AMD64")
    target_compile_options(weft_options INTERFACE -mmove-max=128 -mstore-max=128)
  endif()
endif()
if(WEFT_SANITIZE)
  # -Wno-maybe-uninitialized: GCC 12 warns of libstdc++'s <regex> under -fsanitize (its PR 105562)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
                      -Wno-maybe-uninitialized)
  add_link_options(-fsanitize=address,undefined)
endif()
# weft_unsanitized(name...): never under the sanitizers, for libraries that are loaded into programs built without.
function(weft_unsanitized)
  foreach(target IN LISTS ARGN)
    target_compile_options(${target} PRIVATE $<$<BOOL:${WEFT_SANITIZE}>:-fno-sanitize=all>)
    target_link_options(${target} PRIVATE $<$<BOOL:${WEFT_SANITIZE}>:-fno-sanitize=all>)
  endforeach()
endfunction()
if(WEFT_TIDY)
  set(CMAKE_CXX_CLANG_TIDY clang-tidy)
endif()

# weft_precompiled(name HEADERS <a> b.h ... [DEPENDS library...]): headers that the compiler parses once for all weft targets
# of this folder and those below, which are compiled with equal options. Sets WEFT_PRECOMPILED to the target that holds them.
function(weft_precompiled name)
  cmake_parse_arguments(ARG "" "" "HEADERS;DEPENDS" ${ARGN})
  file(CONFIGURE OUTPUT ${name}.cpp CONTENT "")
  add_library(${name} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  target_link_libraries(${name} PRIVATE weft_options ${ARG_DEPENDS})
  list(TRANSFORM ARG_HEADERS REPLACE "^[^<].*" "${PROJECT_SOURCE_DIR}/\\0")
  target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
  set(WEFT_PRECOMPILED ${name} PARENT_SCOPE)
endfunction()
set(WEFT_STANDARD_HEADERS
    <algorithm> <array> <cmath> <cstdint> <cstring> <filesystem> <fstream> <functional> <limits> <map> <memory> <numeric>
    <optional> <set> <sstream> <stdexcept> <string> <string_view> <tuple> <utility> <variant> <vector> <fmt/core.h>)

# weft_library(name SOURCES a.cpp ... DEPENDS weft_core ...): one CMake target per folder (one for all of tools), so that the linker enforces
# the order kernels <- model <- workloads <- platform <- tools.
function(weft_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC weft_options ${ARG_DEPENDS})
  if(WEFT_PRECOMPILED)
    target_precompile_headers(${name} REUSE_FROM ${WEFT_PRECOMPILED})
  endif()
endfunction()

# A preset with CMAKE_UNITY_BUILD (release) compiles sixteen sources of a library at once, because most of the time goes into
# the same headers. Names in the unnamed namespaces of a library therefore differ, except in the libraries of
# weft_one_by_one.
set(CMAKE_UNITY_BUILD_BATCH_SIZE 16)
function(weft_one_by_one)
  set_target_properties(${ARGN} PROPERTIES UNITY_BUILD OFF)
endfunction()
