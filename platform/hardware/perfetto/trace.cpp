#include "platform/hardware/perfetto/trace.h"

#include <fmt/core.h>

#include "model/core/error.h"
#include "trace.pb.h"

namespace weft::perfetto {

namespace {

constexpr Trace::Track kRoot = 1;
constexpr std::uint32_t kSequence = 1;

Packet& timed(TraceFile& file, std::int64_t at_ns) {
  Packet& packet = *file.add_packet();
  packet.set_timestamp(static_cast<std::uint64_t>(at_ns));
  packet.set_trusted_packet_sequence_id(kSequence);
  return packet;
}

}  // namespace

Trace::Trace(const std::string& root) : file_(std::make_unique<TraceFile>()) {
  Packet& packet = *file_->add_packet();
  packet.set_trusted_packet_sequence_id(kSequence);
  TrackDescriptor& track = *packet.mutable_track_descriptor();
  track.set_uuid(kRoot);
  track.set_name(root);
  track.set_child_ordering(TrackDescriptor::EXPLICIT);
  finish_packet();
}

Trace::~Trace() = default;

Trace::Track Trace::add(const std::string& name, const char* unit) {
  Packet& packet = *file_->add_packet();
  packet.set_trusted_packet_sequence_id(kSequence);
  TrackDescriptor& track = *packet.mutable_track_descriptor();
  track.set_uuid(kRoot + ++tracks_);
  track.set_name(name);
  track.set_parent_uuid(kRoot);
  track.set_sibling_order_rank(static_cast<std::int32_t>(tracks_));
  if (unit) track.mutable_counter()->set_unit_name(unit);
  finish_packet();
  return track.uuid();
}

Trace::Track Trace::add_track(const std::string& name) {
  return add(name, nullptr);
}

Trace::Track Trace::add_counter(const std::string& name, const std::string& unit) {
  return add(name, unit.c_str());
}

void Trace::slice(Track track, std::int64_t start_ns, std::int64_t end_ns, const std::string& name,
                  const std::vector<Note>& notes) {
  TrackEvent& begin = *timed(*file_, start_ns).mutable_track_event();
  begin.set_type(TrackEvent::SLICE_BEGIN);
  begin.set_track_uuid(track);
  begin.set_name(name);
  for (const auto& [key, value] : notes) {
    Annotation& note = *begin.add_debug_annotations();
    note.set_name(key);
    if (const auto* number = std::get_if<std::int64_t>(&value)) note.set_int_value(*number);
    if (const auto* text = std::get_if<std::string>(&value)) note.set_string_value(*text);
  }
  finish_packet();
  TrackEvent& end = *timed(*file_, end_ns).mutable_track_event();
  end.set_type(TrackEvent::SLICE_END);
  end.set_track_uuid(track);
  finish_packet();
}

void Trace::count(Track track, std::int64_t at_ns, std::int64_t value) {
  TrackEvent& event = *timed(*file_, at_ns).mutable_track_event();
  event.set_type(TrackEvent::COUNTER);
  event.set_track_uuid(track);
  event.set_counter_value(value);
  finish_packet();
}

// Adds the size of the last packet, now complete: a tag of one byte, the length in 7 bits a byte, and the data.
void Trace::finish_packet() {
  const std::size_t length = file_->packet(file_->packet_size() - 1).ByteSizeLong();
  size_ += 2 + length;
  for (std::size_t rest = length >> 7; rest != 0; rest >>= 7) ++size_;
}

std::string Trace::bytes() const {
  if (size_ > kMostBytes) {
    throw Error(fmt::format("the trace would have {} MB, but a viewer opens at most {} MB: trace a shorter part",
                            size_ >> 20, kMostBytes >> 20));
  }
  return file_->SerializeAsString();
}

}  // namespace weft::perfetto
