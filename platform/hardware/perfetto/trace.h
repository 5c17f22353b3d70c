#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace weft::perfetto {

class TraceFile;

// A trace for ui.perfetto.dev: tracks below one root, with slices that follow each other or counts. Times are whole
// nanoseconds from 0 on; in a track in the order in which they are told.
class Trace {
 public:
  using Track = std::uint64_t;
  using Note = std::pair<std::string, std::variant<std::int64_t, std::string>>;

  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;  // what the viewer opens without trouble

  // Bytes at the beginning of every file: sequence 1, and the field of a track's description.
  static constexpr const char* kMark = "\x50\x01\xe2\x03";

  // `root`: its name.
  explicit Trace(const std::string& root);
  ~Trace();
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  // In the order in which they are shown.
  Track add_track(const std::string& name);
  Track add_counter(const std::string& name, const std::string& unit);

  // [start, end) on a track; `notes` are shown when it is chosen.
  void slice(Track track, std::int64_t start_ns, std::int64_t end_ns, const std::string& name,
             const std::vector<Note>& notes = {});
  void count(Track track, std::int64_t at_ns, std::int64_t value);

  // Of what has been told so far, as a file.
  std::size_t size() const { return size_; }
  // The file. Throws Error if it is larger than kMostBytes.
  std::string bytes() const;

 private:
  Track add(const std::string& name, const char* unit);
  void finish_packet();

  std::unique_ptr<TraceFile> file_;
  Track tracks_ = 0;
  std::size_t size_ = 0;
};

}  // namespace weft::perfetto
