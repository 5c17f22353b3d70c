// fst_signals FILE: prints the signals of an FST file as JSON, for tests in Python.
#include <exception>
#include <iostream>
#include <nlohmann/json.hpp>

#include "tests/support/fst_file.h"

int main(int argc, char** argv) try {
  if (argc != 2) return 2;
  const weft::test::FstFile file = weft::test::read_fst(argv[1]);
  nlohmann::json signals = nlohmann::json::object();
  for (const auto& [name, signal] : file.signals) {
    signals[name] = {{"names", signal.names}, {"changes", signal.changes}};
  }
  std::cout << nlohmann::json{{"timescale", file.timescale}, {"end", file.end}, {"signals", signals}};
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
