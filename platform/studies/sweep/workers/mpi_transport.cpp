// Library weft_mpi: Open MPI through Boost.MPI.
#include <algorithm>
#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>
#include <map>

#include "platform/studies/sweep/workers/mpi_workers.h"

namespace weft::sweep {

namespace {

namespace mpi = boost::mpi;

// Messages are sent in pieces that MPI sends eagerly: if a rank dies within a message, no receiver blocks on the rest.
constexpr std::size_t kPiece = 2048;
constexpr int kMore = 1, kLast = 2;  // tags

class BoostTransport : public MpiTransport {
 public:
  int size() const override { return world_.size(); }
  void send(int to, const std::string& bytes) override {
    std::size_t at = 0;
    do {
      const std::size_t count = std::min(kPiece, bytes.size() - at);
      world_.send(to, at + count == bytes.size() ? kLast : kMore, bytes.data() + at, static_cast<int>(count));
      at += count;
    } while (at < bytes.size());
  }
  std::optional<Message> receive() override {
    while (const auto status = world_.iprobe(mpi::any_source, mpi::any_tag)) {
      std::string piece(static_cast<std::size_t>(status->count<char>().value_or(0)), '\0');
      world_.recv(status->source(), status->tag(), piece.data(), static_cast<int>(piece.size()));
      std::string& all = partial_[status->source()];
      all += piece;
      if (status->tag() != kLast) continue;
      Message message{status->source(), std::move(all)};
      all.clear();
      return message;
    }
    return std::nullopt;
  }
  void leave_without_the_others() override { static_cast<void>(environment_.release()); }

 private:
  // false: main reports our exceptions, MPI does not abort on them.
  std::unique_ptr<mpi::environment> environment_ = std::make_unique<mpi::environment>(false);
  mpi::communicator world_;
  std::map<int, std::string> partial_;
};

}  // namespace

}  // namespace weft::sweep

extern "C" weft::sweep::MpiTransport* weft_mpi_transport() {
  return new weft::sweep::BoostTransport;
}
