#pragma once

#include <filesystem>
#include <optional>

#include "platform/card/card.h"

namespace weft::card {

// What a card has come to, at one moment of simulated time.
struct Status {
  Picoseconds now = 0;
  Totals totals;
};

// Programs of the project may look at simulated time, which XRT has no call for: the card run keeps a Status in a file
// that both map. It is that of the last answer to a call of XRT, so that a program that waits for its calls reads what
// they came to.
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
  // Of the card run that this program was started in; nothing if there is none. Throws Error.
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
