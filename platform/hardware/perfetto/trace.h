#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace weft::perfetto {

class TraceFile;

// A trace for ui.perfetto.dev: tracks below one root, each with consecutive slices or with counter values. Times are
// whole nanoseconds from 0 on, added to each track in ascending order.
class Trace {
 public:
  using Track = std::uint64_t;
  using Note = std::pair<std::string, std::variant<std::int64_t, std::string>>;

  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;  // size that the viewer opens without trouble

  // First bytes of every file: sequence 1, and the field of a track's description.
  static constexpr const char* kMark = "\x50\x01\xe2\x03";

  // `root`: name of the root track.
  explicit Trace(const std::string& root);
  ~Trace();
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  // Add a track below the root; tracks are shown in the order of these calls.
  Track add_track(const std::string& name);
  Track add_counter(const std::string& name, const std::string& unit);

  // Adds a slice [start, end) to a track; `notes` are shown when the slice is selected.
  void slice(Track track, std::int64_t start_ns, std::int64_t end_ns, const std::string& name,
             const std::vector<Note>& notes = {});
  void count(Track track, std::int64_t at_ns, std::int64_t value);

  // Bytes of the file, including all that has been added so far.
  std::size_t size() const { return size_; }
  // Returns the file. Throws Error if it is larger than kMostBytes.
  std::string bytes() const;

 private:
  Track add(const std::string& name, const char* unit);
  void finish_packet();

  std::unique_ptr<TraceFile> file_;
  Track tracks_ = 0;
  std::size_t size_ = 0;
};

}  // namespace weft::perfetto
