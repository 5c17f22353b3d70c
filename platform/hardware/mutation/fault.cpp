#include "platform/hardware/mutation/fault.h"

#include "model/core/error.h"
#include "platform/os/content.h"

namespace weft::mutation {

void read_fault(config::MapReader& reader, Fault& fault) {
  reader.text("name", fault.name, config::Need::Required);
  reader.text("what", fault.what, config::Need::Required);
  reader.text("file", fault.file, config::Need::Required);
  reader.text("old", fault.old_text, config::Need::Required);
  reader.text("new", fault.new_text, config::Need::Required);
  if (fault.old_text == fault.new_text) throw reader.error("new", "must differ from 'old'");
}

std::string mutated(const Fault& fault, const std::string& text) {
  const std::size_t at = text.find(fault.old_text);
  if (at == std::string::npos || text.find(fault.old_text, at + 1) != std::string::npos) {
    throw Error(fmt::format("fault '{}': its old text stands {} in {}; it must stand there exactly once", fault.name,
                            at == std::string::npos ? "nowhere" : "more than once", fault.file));
  }
  return text.substr(0, at) + fault.new_text + text.substr(at + fault.old_text.size());
}

void check(const Fault& fault, const std::filesystem::path& folder) {
  mutated(fault, os::content(folder / fault.file));
}

}  // namespace weft::mutation
