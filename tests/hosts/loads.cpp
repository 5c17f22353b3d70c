// loads WAY XCLBIN...: loads each by one way of XRT's native interface and prints each outcome on a line.
#include <experimental/xrt_xclbin.h>
#include <xrt/xrt_device.h>

#include <cstdio>
#include <exception>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

std::vector<char> content(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// An xclbin in a program's memory, followed by other data.
class Memory {
 public:
  explicit Memory(const std::string& file) : bytes_(content(file)) { bytes_.resize(bytes_.size() + 65'536, 'x'); }
  const axlf* get() const { return reinterpret_cast<const axlf*>(bytes_.data()); }

 private:
  std::vector<char> bytes_;
};

void require(bool good) {
  if (!good) throw std::runtime_error("no handle, or an error code");
}

// A device handle of C programs.
class Handle {
 public:
  Handle() : handle_(xrtDeviceOpen(0)) {}
  ~Handle() { xrtDeviceClose(handle_); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  xrtDeviceHandle get() const { return handle_; }

 private:
  xrtDeviceHandle handle_;
};

const std::map<std::string, std::function<void(const std::string&)>> kWays{
    {"device_file", [](const std::string& file) { xrt::device(0).load_xclbin(file); }},
    {"device_memory", [](const std::string& file) { xrt::device(0).load_xclbin(Memory(file).get()); }},
    {"xclbin_file", [](const std::string& file) { xrt::device(0).load_xclbin(xrt::xclbin(file)); }},
    {"xclbin_vector", [](const std::string& file) { xrt::device(0).load_xclbin(xrt::xclbin(content(file))); }},
    {"xclbin_memory", [](const std::string& file) { xrt::device(0).load_xclbin(xrt::xclbin(Memory(file).get())); }},
    {"c_file", [](const std::string& file) { require(xrtDeviceLoadXclbinFile(Handle().get(), file.c_str()) == 0); }},
    {"c_memory",
     [](const std::string& file) { require(xrtDeviceLoadXclbin(Handle().get(), Memory(file).get()) == 0); }},
    {"c_name", [](const std::string& file) { require(xrtXclbinAllocFilename(file.c_str()) != nullptr); }},
    {"c_raw", [](const std::string& file) {
       const std::vector<char> bytes = content(file);
       require(xrtXclbinAllocRawData(bytes.data(), static_cast<int>(bytes.size())) != nullptr);
     }}};

}  // namespace

int main(int count, char** arguments) {
  for (int i = 2; i < count; ++i) {
    try {
      kWays.at(arguments[1])(arguments[i]);
      std::puts("loaded");
    } catch (const std::exception& error) {
      std::printf("refused: %s\n", error.what());
    }
    std::fflush(stdout);
  }
}
