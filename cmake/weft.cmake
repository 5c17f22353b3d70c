find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(yaml-cpp REQUIRED)
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
                                                -fno-omit-frame-pointer
                                                # GCC 12 warns of libstdc++'s <regex> under -fsanitize (its PR 105562)
                                                -Wno-maybe-uninitialized)
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
