#pragma once

#include <filesystem>
#include <optional>

#include "platform/card/card.h"

namespace weft::card {

// State of a card at one moment of simulated time.
struct Status {
  Picoseconds now = 0;
  Totals totals;
};

// Keeps a Status in a file that the card run and programs of the project map, because XRT has no call for simulated
// time. The Status is that of the last answered XRT call: a program that waits for its calls reads their outcome.
class StatusWriter {
 public:
  static constexpr const char* kFile = "status";                // in the folder of the card run ...
  static constexpr const char* kVariable = "WEFT_CARD_FOLDER";  // ... which programs find here

  explicit StatusWriter(const std::filesystem::path& folder);  // throws Error
  ~StatusWriter();
  StatusWriter(const StatusWriter&) = delete;
  StatusWriter& operator=(const StatusWriter&) = delete;

  void write(Card& card) const;

 private:
  void* data_ = nullptr;
};

class StatusReader {
 public:
  // Reader for the card run that has started this program; nothing if there is none. Throws Error.
  static std::optional<StatusReader> of_environment();
  explicit StatusReader(const std::filesystem::path& folder);  // throws Error
  ~StatusReader();
  StatusReader(StatusReader&& other) noexcept;
  StatusReader(const StatusReader&) = delete;
  StatusReader& operator=(const StatusReader&) = delete;

  Status read() const;

 private:
  const void* data_ = nullptr;
};

}  // namespace weft::card
