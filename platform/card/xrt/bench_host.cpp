// weft_card_bench_host XCLBIN: makes the XRT calls whose wall time weft bench measures. Looks XRT's C interface up at
// run time, so that weft builds without XRT.
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

namespace {

using Handle = void*;
enum Direction { ToDevice, FromDevice };

class Library {
 public:
  Library() : library_(dlopen("libxrt_coreutil.so.2", RTLD_NOW)) {
    if (!library_) throw std::runtime_error(dlerror());
  }
  template <class Function>
  Function* get(const char* name) const {
    void* const symbol = dlsym(library_, name);
    if (!symbol) throw std::runtime_error(dlerror());
    return reinterpret_cast<Function*>(symbol);
  }

 private:
  void* library_;
};

const Library& xrt() {
  static const Library library;
  return library;
}

void require(bool condition, const char* what) {
  if (!condition) throw std::runtime_error(std::string(what) + " failed");
}

class Buffer {
 public:
  Buffer(Handle device, Handle kernel, int argument, std::size_t bytes) {
    const int group = xrt().get<int(Handle, int)>("xrtKernelArgGroupId")(kernel, argument);
    handle = xrt().get<Handle(Handle, std::size_t, std::uint64_t, std::uint32_t)>("xrtBOAlloc")(
        device, bytes, 0, static_cast<std::uint32_t>(group));
    require(handle != nullptr, "xrtBOAlloc");
    data = xrt().get<void*(Handle)>("xrtBOMap")(handle);
    require(data != nullptr, "xrtBOMap");
  }
  ~Buffer() { xrt().get<int(Handle)>("xrtBOFree")(handle); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  void sync(Direction direction, std::size_t bytes) const {
    static const auto call = xrt().get<int(Handle, Direction, std::size_t, std::size_t)>("xrtBOSync");
    require(call(handle, direction, bytes, 0) == 0, "xrtBOSync");
  }

  Handle handle = nullptr;
  void* data = nullptr;
};

// Returns the minimum over `runs`: other work on the machine can only add time.
template <class Work>
double seconds(int runs, Work work) {
  double least = 1e9;
  for (int i = 0; i < runs; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return least;
}

constexpr int kInp = 19, kKern = 20, kOut = 21;  // arguments of the kernel

void load(Handle device, const char* xclbin) {
  std::printf("load %.6f\n", seconds(5, [&] {
                require(xrt().get<int(Handle, const char*)>("xrtDeviceLoadXclbinFile")(device, xclbin) == 0,
                        "xrtDeviceLoadXclbinFile");
              }));
}

void convolve(Handle device, Handle kernel) {
  // Forward pass (F) of one 8 x 8 image of 3 channels, 8 filters of 3 x 3, padding 1.
  constexpr std::array<unsigned, 19> kSizes{0, 1, 1, 8, 3, 8, 8, 3, 3, 8, 8, 1, 1, 1, 1, 1, 1, 1, 1};
  constexpr std::array<unsigned, 5> kPitches{0, 192, 64, 0, 512};
  constexpr std::size_t kTensor = std::size_t{128} << 10;
  const Buffer inp(device, kernel, kInp, kTensor), kern(device, kernel, kKern, kTensor),
      out(device, kernel, kOut, kTensor);
  Handle run = xrt().get<Handle(Handle)>("xrtRunOpen")(kernel);
  const auto set = xrt().get<int(Handle, int, ...)>("xrtRunSetArg");
  const auto start = xrt().get<int(Handle)>("xrtRunStart");
  const auto wait = xrt().get<int(Handle)>("xrtRunWait");
  std::printf("convolution %.6f\n", seconds(20, [&] {
                inp.sync(ToDevice, 192 * 4);
                kern.sync(ToDevice, 216 * 4);
                int argument = 0;
                for (const unsigned value : kSizes) set(run, argument++, value);
                for (const Buffer* const buffer : {&inp, &kern, &out}) set(run, argument++, buffer->handle);
                for (const unsigned value : kPitches) set(run, argument++, value);
                require(start(run) == 0, "xrtRunStart");
                wait(run);
                out.sync(FromDevice, 512 * 4);
              }));
  xrt().get<int(Handle)>("xrtRunClose")(run);
}

void transfer(Handle device, Handle kernel, int to_card, int to_host) {
  constexpr std::size_t kTransfer = std::size_t{256} << 20;
  const Buffer large(device, kernel, kInp, kTransfer);
  std::memset(large.data, 1, kTransfer);
  for (int i = 0; i <= to_card; ++i) large.sync(ToDevice, kTransfer);
  for (int i = 0; i <= to_host; ++i) large.sync(FromDevice, kTransfer);
}

}  // namespace

int main(int, char** arguments) try {
  Handle device = xrt().get<Handle(unsigned)>("xrtDeviceOpen")(0);
  require(device != nullptr, "xrtDeviceOpen");
  load(device, arguments[1]);
  std::array<unsigned char, 16> uuid{};
  require(xrt().get<int(Handle, unsigned char*)>("xrtDeviceGetXclbinUUID")(device, uuid.data()) == 0,
          "xrtDeviceGetXclbinUUID");
  Handle kernel =
      xrt().get<Handle(Handle, const unsigned char*, const char*)>("xrtPLKernelOpen")(device, uuid.data(), "fpgpt");
  require(kernel != nullptr, "xrtPLKernelOpen");
  convolve(device, kernel);
  transfer(device, kernel, std::atoi(arguments[2]), std::atoi(arguments[3]));
  xrt().get<int(Handle)>("xrtKernelClose")(kernel);
  xrt().get<int(Handle)>("xrtDeviceClose")(device);
} catch (const std::exception& error) {
  std::fprintf(stderr, "weft_card_bench_host: %s\n", error.what());
  return 1;
}
