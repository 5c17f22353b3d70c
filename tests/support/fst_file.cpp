#include "tests/support/fst_file.h"

#include <gtkwave/fstapi.h>

#include <cstring>
#include <memory>
#include <stdexcept>

namespace weft::test {

namespace {

using Signals = std::vector<FstSignal*>;  // indexed by handle

std::map<std::string, std::string> names_of(const char* table) {
  std::map<std::string, std::string> names;
  fstETab* const read = fstUtilityExtractEnumTableFromString(table);
  for (std::uint32_t i = 0; i < read->elem_count; ++i) names[read->val_arr[i]] = read->literal_arr[i];
  fstUtilityFreeEnumTable(read);
  return names;
}

void read_hierarchy(void* reader, FstFile& file, Signals& signals) {
  std::vector<std::string> scopes;
  std::map<std::uint64_t, std::map<std::string, std::string>> tables;
  std::uint64_t table = 0;  // table of the next signal
  while (const fstHier* const each = fstReaderIterateHier(reader)) {
    switch (each->htyp) {
      case FST_HT_SCOPE:
        scopes.emplace_back(each->u.scope.name);
        break;
      case FST_HT_UPSCOPE:
        scopes.pop_back();
        break;
      case FST_HT_ATTRBEGIN:
        if (each->u.attr.subtype != FST_MT_ENUMTABLE) break;
        if (each->u.attr.name_length > 0) {
          tables[each->u.attr.arg] = names_of(each->u.attr.name);
        } else {
          table = each->u.attr.arg;
        }
        break;
      case FST_HT_VAR: {
        std::string path;
        for (const std::string& scope : scopes) path += scope + ".";
        FstSignal& signal = file.signals[path + each->u.var.name];
        if (table != 0) signal.names = tables.at(table);
        table = 0;
        if (signals.size() <= each->u.var.handle) signals.resize(each->u.var.handle + 1);
        signals[each->u.var.handle] = &signal;
        break;
      }
      default:
        break;
    }
  }
}

void note(void* signals, std::uint64_t time, fstHandle handle, const unsigned char* value, std::uint32_t length) {
  (*static_cast<Signals*>(signals))[handle]->changes.emplace_back(
      time, std::string(reinterpret_cast<const char*>(value), length));
}
void note_bits(void* signals, std::uint64_t time, fstHandle handle, const unsigned char* value) {
  note(signals, time, handle, value, static_cast<std::uint32_t>(std::strlen(reinterpret_cast<const char*>(value))));
}

}  // namespace

FstFile read_fst(const std::filesystem::path& path) {
  const std::unique_ptr<void, void (*)(void*)> reader(fstReaderOpen(path.c_str()), [](void* open) {
    if (open) fstReaderClose(open);
  });
  if (!reader) throw std::runtime_error("no FST file: " + path.string());
  FstFile file;
  file.timescale = fstReaderGetTimescale(reader.get());  // NOLINT(bugprone-signed-char-misuse): a number
  file.end = fstReaderGetEndTime(reader.get());
  Signals signals;
  read_hierarchy(reader.get(), file, signals);
  fstReaderSetFacProcessMaskAll(reader.get());
  fstReaderIterBlocks2(reader.get(), note_bits, note, &signals, nullptr);
  return file;
}

}  // namespace weft::test
