#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "platform/card/xrt/run_folder.h"
#include "platform/card/xrt/visits.h"

namespace weft::xrt {

// Result of the card's process.
struct CardReport {
  int exit_code = 0;   // of weft card; 0: weft card exits with the program's
  std::string text;    // the final line, or the error
  bool fails = false;  // weft card exits with 1 if the program exits with 0
};

// Serves as the card; `folder` is that of the run, which the program finds as WEFT_CARD_FOLDER.
using ServeCard = std::function<CardReport(Visits& visits, const std::filesystem::path& folder)>;

// Starts `words` as a program that finds a card with XRT, and waits for it. The program runs in a session of its own;
// `card` runs in another process and serves the program's shim to the end. If one of the two is gone, the other ends
// within 5 seconds. Leaves no process and no file of either. Prints messages and the final line to standard error.
// Returns the program's exit code, 128 + N for signal N. The caller must have one thread. Throws Error if the program
// cannot be started.
int run_on_card(const std::vector<std::string>& words, const Device& device, const ServeCard& card);

}  // namespace weft::xrt
