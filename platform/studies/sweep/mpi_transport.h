#pragma once

#include <memory>
#include <optional>
#include <string>

namespace weft::sweep {

// Messages between the ranks of an MPI job. What implements it is a library of its own (mpi_transport.cpp), loaded only
// under mpirun, so that nobody else pays for MPI.
class MpiTransport {
 public:
  virtual ~MpiTransport() = default;
  virtual int size() const = 0;
  virtual void send(int to, const std::string& bytes) = 0;
  struct Message {
    int from = 0;
    std::string bytes;
  };
  virtual std::optional<Message> receive() = 0;  // never waits
  // A rank is dead, and the common end of MPI may wait for it for ever: this process is to end without it.
  virtual void leave_without_the_others() = 0;
};

// Throws Error that says what is missing.
std::unique_ptr<MpiTransport> load_mpi_transport();

// Whether this process was started by mpirun.
bool under_mpirun();
int mpirun_rank();

}  // namespace weft::sweep
