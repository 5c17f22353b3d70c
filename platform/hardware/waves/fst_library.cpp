// The only file of weft that is compiled with fstapi.c: GTKWave's reader and writer of FST, distributed with Verilator.
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "platform/hardware/waves/fst_writer.h"

#define FST_CONFIG_INCLUDE "fst_config.h"
#include "gtkwave/fastlz.c"
#include "gtkwave/fstapi.c"
#include "gtkwave/lz4.c"

namespace weft::waves {

namespace {

constexpr int kMostBits = 32;
constexpr int kPicoseconds = -12;

int bits_for(std::size_t values) {
  int bits = 1;
  while (std::size_t{1} << bits < values) ++bits;
  return bits;
}

// Bits as text, most significant first, as fstapi takes them; `text`: the buffer.
const char* binary(std::uint32_t value, int bits, std::array<char, kMostBits + 1>& text) {
  for (int i = 0; i < bits; ++i) text[static_cast<std::size_t>(i)] = (value >> (bits - 1 - i) & 1) != 0 ? '1' : '0';
  text[static_cast<std::size_t>(bits)] = '\0';
  return text.data();
}

class GtkwaveWriter : public FstWriter {
 public:
  explicit GtkwaveWriter(void* context) : context_(context) {
    fstWriterSetPackType(context_, FST_WR_PT_ZLIB);
    fstWriterSetTimescale(context_, kPicoseconds);
    fstWriterSetVersion(context_, kFstVersion);
    fstWriterSetDate(context_, "");  // no date: equal runs write equal bytes
  }
  ~GtkwaveWriter() override { close(); }
  GtkwaveWriter(const GtkwaveWriter&) = delete;
  GtkwaveWriter& operator=(const GtkwaveWriter&) = delete;

  void open_scope(const std::string& name) override {
    fstWriterSetScope(context_, FST_ST_VCD_MODULE, name.c_str(), nullptr);
  }
  void close_scope() override { fstWriterSetUpscope(context_); }

  Enumeration add_enumeration(const std::string& name, const std::vector<std::string>& literals) override {
    const int bits = bits_for(literals.size());
    std::vector<std::array<char, kMostBits + 1>> texts(literals.size());
    std::vector<const char*> names, values;
    for (std::size_t i = 0; i < literals.size(); ++i) {
      names.push_back(literals[i].c_str());
      values.push_back(binary(static_cast<std::uint32_t>(i), bits, texts[i]));
    }
    enumeration_bits_.push_back(bits);
    return fstWriterCreateEnumTable(context_, name.c_str(), static_cast<std::uint32_t>(literals.size()),
                                    static_cast<unsigned>(bits), names.data(), values.data());
  }
  Signal add_bits(const std::string& name, int bits) override {
    const std::string range = bits > 1 ? "[" + std::to_string(bits - 1) + ":0]" : "";
    return added(fstWriterCreateVar(context_, FST_VT_VCD_WIRE, FST_VD_IMPLICIT, static_cast<std::uint32_t>(bits),
                                    (name + range).c_str(), 0),
                 bits);
  }
  Signal add_enumerated(const std::string& name, Enumeration enumeration) override {
    fstWriterEmitEnumTableRef(context_, enumeration);  // for the next signal
    return add_bits(name, enumeration_bits_[enumeration - 1]);
  }
  Signal add_text(const std::string& name) override {
    return added(fstWriterCreateVar(context_, FST_VT_GEN_STRING, FST_VD_IMPLICIT, 0, name.c_str(), 0), 0);
  }

  void at(std::int64_t time_ps) override { fstWriterEmitTimeChange(context_, static_cast<std::uint64_t>(time_ps)); }
  void change(Signal signal, std::uint32_t value) override {
    std::array<char, kMostBits + 1> text{};
    fstWriterEmitValueChange(context_, signal, binary(value, bits_[signal - 1], text));
  }
  void change(Signal signal, const std::string& text) override {
    fstWriterEmitVariableLengthValueChange(context_, signal, text.data(), static_cast<std::uint32_t>(text.size()));
  }

  bool close() override {
    if (!context_) return true;
    fstWriterFlushContext(context_);
    const bool whole = fstWriterGetFseekFailed(context_) == 0;
    fstWriterClose(context_);
    context_ = nullptr;
    return whole;
  }

 private:
  Signal added(fstHandle signal, int bits) {
    bits_.push_back(bits);
    return signal;
  }

  void* context_;
  std::vector<int> bits_;  // bits of each signal; signals are numbered from 1
  std::vector<int> enumeration_bits_;
};

}  // namespace

}  // namespace weft::waves

extern "C" __attribute__((visibility("default"))) bool weft_fst_names(const char* path,
                                                                      std::vector<std::string>* names) {
  void* const reader = fstReaderOpen(path);
  if (!reader) return false;
  std::vector<std::string> scopes{""};  // the names of all open scopes, each with the outer ones
  while (const fstHier* const each = fstReaderIterateHier(reader)) {
    if (each->htyp == FST_HT_SCOPE) scopes.push_back(scopes.back() + each->u.scope.name + ".");
    if (each->htyp == FST_HT_UPSCOPE) scopes.pop_back();
    if (each->htyp != FST_HT_VAR) continue;
    names->push_back(scopes.back() + each->u.var.name);
    const std::size_t space = names->back().rfind(" [");  // GTKWave's names have no space before a range
    if (space != std::string::npos) names->back().erase(space, 1);
  }
  fstReaderClose(reader);
  return true;
}

extern "C" __attribute__((visibility("default"))) weft::waves::FstWriter* weft_make_fst_writer(const char* path) {
  constexpr int kCompressHierarchy = 1;
  void* const context = fstWriterCreate(path, kCompressHierarchy);
  return context ? new weft::waves::GtkwaveWriter(context) : nullptr;
}
