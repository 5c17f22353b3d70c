#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "platform/card/xrt/run_folder.h"
#include "platform/card/xrt/visits.h"

namespace weft::xrt {

// What came of the process that is the card.
struct CardReport {
  int exit_code = 0;  // of weft card, unless 0: then it is the program's
  std::string text;   // the line at the end, or what went wrong
};

// Is the card; `folder` is that of the run, which the program finds as WEFT_CARD_FOLDER.
using ServeCard = std::function<CardReport(Visits& visits, const std::filesystem::path& folder)>;

// Starts `words` as a program that finds a card with XRT, and waits for it: the program in a session of its own, and
// `card`, which serves its shim until there is nothing left to serve, in another process. If one of them is gone the
// other ends within 5 seconds. Nothing of them is left at the end: no process that the program has started, no file.
// Messages and the line at the end go to standard error. The exit code is the program's, 128 + its number for a signal.
// The caller must have one thread. Throws Error if the program cannot be started.
int run_on_card(const std::vector<std::string>& words, const Device& device, const ServeCard& card);

}  // namespace weft::xrt
