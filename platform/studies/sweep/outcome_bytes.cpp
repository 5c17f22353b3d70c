#include "platform/studies/sweep/outcome_bytes.h"

#include <cstring>
#include <type_traits>
#include <utility>
#include <variant>

#include "model/core/error.h"

namespace weft::sweep {

namespace {

class Writer {
 public:
  template <class T>
  void number(T value) {
    static_assert(std::is_trivially_copyable_v<T>);
    const std::size_t at = bytes_.size();
    bytes_.resize(at + sizeof value);
    std::memcpy(&bytes_[at], &value, sizeof value);
  }
  void text(const std::string& text) {
    number(text.size());
    bytes_ += text;
  }
  void values(const std::vector<Value>& values) {
    number(values.size());
    for (const Value& value : values) {
      number(static_cast<std::uint8_t>(value.index()));
      if (const auto* integer = std::get_if<std::int64_t>(&value)) number(*integer);
      if (const auto* real = std::get_if<double>(&value)) number(*real);
      if (const auto* string = std::get_if<std::string>(&value)) text(*string);
    }
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(const std::string& bytes) : bytes_(bytes) {}

  template <class T>
  T number() {
    need(sizeof(T));
    T value{};
    std::memcpy(&value, bytes_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  // Every element takes a byte at least, so that a length that cannot be is seen before room is made for it.
  std::size_t count() {
    const auto count = number<std::size_t>();
    need(count);
    return count;
  }
  std::string text() {
    const std::size_t size = count();
    std::string text = bytes_.substr(at_, size);
    at_ += size;
    return text;
  }
  std::vector<Value> values() {
    std::vector<Value> values(count());
    for (Value& value : values) {
      const auto index = number<std::uint8_t>();
      if (index == Value(std::int64_t{}).index()) {
        value = number<std::int64_t>();
      } else if (index == Value(double{}).index()) {
        value = number<double>();
      } else if (index == Value(std::string{}).index()) {
        value = text();
      } else if (index != Value().index()) {
        fail();
      }
    }
    return values;
  }
  void end() const {
    if (at_ != bytes_.size()) fail();
  }

 private:
  [[noreturn]] static void fail() { throw Error("a worker sent what is no outcome of a point"); }
  void need(std::size_t size) const {
    if (size > bytes_.size() - at_) fail();
  }

  const std::string& bytes_;
  std::size_t at_ = 0;
};

}  // namespace

std::string encode(const Outcome& outcome) {
  Writer out;
  out.number(outcome.point);
  out.text(outcome.error);
  out.text(outcome.config);
  out.values(outcome.fields);
  out.number(outcome.rows.size());
  for (const std::vector<Value>& row : outcome.rows) out.values(row);
  out.number(outcome.seconds);
  return out.take();
}

Outcome decode(const std::string& bytes) {
  Reader in(bytes);
  Outcome outcome;
  outcome.point = in.number<std::int64_t>();
  outcome.error = in.text();
  outcome.config = in.text();
  outcome.fields = in.values();
  outcome.rows.resize(in.count());
  for (std::vector<Value>& row : outcome.rows) row = in.values();
  outcome.seconds = in.number<double>();
  in.end();
  return outcome;
}

}  // namespace weft::sweep
