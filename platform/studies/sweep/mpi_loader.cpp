#include <dlfcn.h>
#include <fmt/core.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "model/core/error.h"
#include "platform/studies/sweep/mpi_transport.h"

namespace weft::sweep {

namespace fs = std::filesystem;

namespace {

constexpr const char* kRank = "OMPI_COMM_WORLD_RANK";

}  // namespace

bool under_mpirun() {
  return std::getenv(kRank) != nullptr;
}

int mpirun_rank() {
  const char* const rank = std::getenv(kRank);
  return rank ? std::atoi(rank) : 0;
}

std::unique_ptr<MpiTransport> load_mpi_transport() {
  std::error_code code;
  const fs::path library = fs::read_symlink("/proc/self/exe", code).parent_path() / "libweft_mpi.so";
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL);  // Open MPI's own plugins look for its symbols
  if (!handle) {
    throw Error(
        fmt::format("mpirun started this process, but weft was built without MPI ({}): install libboost-mpi-dev and "
                    "openmpi-bin (./weft test does), then touch CMakeLists.txt and start ./weft once to build again",
                    dlerror()));
  }
  using Make = MpiTransport* (*)();
  const auto make = reinterpret_cast<Make>(dlsym(handle, "weft_mpi_transport"));
  if (!make) throw Error(fmt::format("'{}' is not weft's: {}", library.string(), dlerror()));
  return std::unique_ptr<MpiTransport>(make());
}

}  // namespace weft::sweep
