#include "platform/record/bytes.h"

#include <cstring>
#include <limits>

#include "model/core/error.h"

namespace weft::record {

namespace {

// Appends to `bytes`, or reads them from the beginning.
class Bytes final : public Visitor {
 public:
  Bytes(std::string& bytes, bool reads) : bytes_(bytes), reads_(reads) {}

  void finish() const {
    if (at_ != bytes_.size()) fail();
  }

 protected:
  void field(const Field&) override {}
  bool optional(bool present) override { return yes(present); }
  bool null(bool is_null) override { return yes(is_null); }
  bool record_instead(bool is_record) override { return yes(is_record); }
  void integer(std::int64_t& value, std::int64_t low, std::int64_t high) override {
    if (number(value) < low || value > high) fail();
  }
  void real(double& value) override { number(value); }
  void text(std::string& value) override {
    value.resize(count(value.size()));
    move(value.data(), value.size());
  }
  void flag(bool& value) override { value = yes(value); }
  void any(Value& value) override {
    switch (std::size_t index = value.index(); number(index)) {
      case 0:
        value = {};
        return;
      case 1:
        return integer(as<std::int64_t>(value), std::numeric_limits<std::int64_t>::min(),
                       std::numeric_limits<std::int64_t>::max());
      case 2:
        return real(as<double>(value));
      case 3:
        return text(as<std::string>(value));
      default:
        fail();
    }
  }
  void one_of(const std::vector<std::string>& words, std::size_t& index) override {
    if (number(index) >= words.size()) fail();
  }
  void is(const char* kind) override {
    std::string same = kind;
    text(same);
    if (same != kind) fail();
  }
  void form(int current) override {
    int version = current;
    if (number(version) != current) fail();
  }
  void begin() override {}
  void end() override {}
  std::size_t begin_list(std::size_t size, const Field&) override { return count(size); }
  void item(std::size_t) override {}
  void end_list() override {}
  std::size_t begin_named(std::size_t size, const Field&) override { return count(size); }
  void key(std::size_t, std::string& name) override { text(name); }

 private:
  [[noreturn]] static void fail() { throw Error("another process sent an invalid message"); }
  void move(void* data, std::size_t size) {
    if (!reads_) {
      bytes_.append(static_cast<const char*>(data), size);
      return;
    }
    if (size > bytes_.size() - at_) fail();
    std::memcpy(data, bytes_.data() + at_, size);
    at_ += size;
  }
  template <class T>
  T number(T& value) {
    move(&value, sizeof value);
    return value;
  }
  // Number of items that follow. Each takes at least one byte, so that an impossible number is detected before memory
  // is allocated for it.
  std::size_t count(std::size_t size) {
    if (number(size) > bytes_.size() - at_ && reads_) fail();
    return size;
  }
  bool yes(bool value) {
    std::uint8_t byte = value ? 1 : 0;
    if (number(byte) > 1) fail();
    return byte != 0;
  }
  template <class T>
  static T& as(Value& value) {
    T* const there = std::get_if<T>(&value);
    return there ? *there : value.emplace<T>();
  }

  std::string& bytes_;
  bool reads_;
  std::size_t at_ = 0;  // read position
};

}  // namespace

std::string to_bytes(const Any& record) {
  std::string bytes;
  Bytes writer(bytes, false);
  record.visit(writer);
  return bytes;
}

void read_bytes(std::string bytes, const std::function<void(Visitor&)>& fields) {
  Bytes reader(bytes, true);
  fields(reader);
  reader.finish();
}

}  // namespace weft::record
