#include "platform/card/program_faults.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace weft::card {

namespace {

std::string text_of(ProgramFaults::Number number) {
  return fmt::format("call {} (launch {})", number.call, number.launch);
}

}  // namespace

void Ranges::add(design::Extent extent) {
  auto next = ranges_.upper_bound(extent.begin);
  if (next != ranges_.begin() && std::prev(next)->second >= extent.begin) --next;
  while (next != ranges_.end() && next->first <= extent.end) {
    extent = {std::min(extent.begin, next->first), std::max(extent.end, next->second)};
    next = ranges_.erase(next);
  }
  ranges_.emplace(extent.begin, extent.end);
}

Bytes Ranges::missing(design::Extent extent) const {
  Bytes bytes = extent.end - extent.begin;
  auto each = ranges_.upper_bound(extent.begin);
  if (each != ranges_.begin()) --each;
  for (; each != ranges_.end() && each->first < extent.end; ++each) {
    bytes -= std::max<Bytes>(0, std::min(extent.end, each->second) - std::max(extent.begin, each->first));
  }
  return bytes;
}

void ProgramFaults::tell(Kind kind, Number number, const std::string& what) {
  ++count_;
  if (!told_.at(kind)) on_fault(fmt::format("{}: {}", text_of(number), what));
  told_.at(kind) = true;
}

void ProgramFaults::forget_read(design::Extent extent) {
  for (auto out = unread_.begin(); out != unread_.end();) {
    const bool is_read =
        std::any_of(out->second.extents.begin(), out->second.extents.end(),
                    [&](const design::Extent& each) { return each.begin < extent.end && extent.begin < each.end; });
    out = is_read ? unread_.erase(out) : std::next(out);
  }
}

void ProgramFaults::transferred(bool to_card, Address address, Bytes bytes) {
  if (!on_fault || bytes == 0) return;
  if (to_card) {
    written_.add({address, address + bytes});
  } else {
    forget_read({address, address + bytes});
  }
}

void ProgramFaults::launched(const design::CardLaunch& launch, Number number, const std::vector<std::string>& unset) {
  if (launch.refused && first_refused_.empty()) first_refused_ = fmt::format("{}: {}", text_of(number), launch.what);
  if (!on_fault) return;
  if (!unset.empty()) {
    tell(Unset, number,
         fmt::format("{} {} never set, so that the kernel takes 0", fmt::join(unset, ", "),
                     unset.size() == 1 ? "was" : "were"));
  }
  if (!launch.fault.empty()) tell(Pitch, number, launch.fault);
  for (const design::CardLaunch::Tensor& tensor : launch.reads) {
    Bytes bytes = 0, missing = 0;
    for (const design::Extent& each : tensor.extents) {
      bytes += each.end - each.begin;
      missing += written_.missing(each);
      forget_read(each);
    }
    if (missing == 0) continue;
    tell(Unwritten, number,
         fmt::format("reads {} bytes that nobody has written, of the {} bytes of the tensor at {} {:#x}", missing,
                     bytes, tensor.base, static_cast<std::uint64_t>(tensor.extents.front().begin)));
  }
  if (launch.written.extents.empty()) return;
  for (const design::Extent& each : launch.written.extents) written_.add(each);
  unread_[launch.written.extents.front().begin] = {number, launch.written.extents};
}

void ProgramFaults::read_early(Number number) {
  tell(Early, number, "OUT was read back before the program had waited for the launch; the data may be older");
}

void ProgramFaults::lost() {
  std::vector<Number> numbers;
  for (const auto& [address, out] : unread_) numbers.push_back(out.number);
  std::sort(numbers.begin(), numbers.end(), [](const Number& a, const Number& b) { return a.call < b.call; });
  for (const Number& number : numbers) tell(Unread, number, "its OUT was never read");
  unread_.clear();
  written_.clear();
}

}  // namespace weft::card
