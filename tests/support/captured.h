#pragma once

#include <unistd.h>

#include <cstdio>
#include <string>

namespace weft::test {

// Captures the writes of this process and its children to a descriptor (1: standard output, 2: error) until text().
class Captured {
 public:
  explicit Captured(int descriptor) : descriptor_(descriptor), file_(std::tmpfile()), saved_(::dup(descriptor)) {
    std::fflush(nullptr);
    ::dup2(::fileno(file_), descriptor_);
  }
  ~Captured() {
    restore();
    std::fclose(file_);
  }
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;

  // Ends the capture.
  std::string text() {
    restore();
    std::string text;
    std::rewind(file_);
    for (int c = std::fgetc(file_); c != EOF; c = std::fgetc(file_)) text += static_cast<char>(c);
    return text;
  }

 private:
  void restore() {
    if (saved_ < 0) return;
    std::fflush(nullptr);
    ::dup2(saved_, descriptor_);
    ::close(saved_);
    saved_ = -1;
  }

  int descriptor_;
  std::FILE* file_;
  int saved_;  // the original descriptor; -1 once it is restored
};

}  // namespace weft::test
