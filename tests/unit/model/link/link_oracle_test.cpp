#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "model/link/link.h"
#include "model/link/wire.h"
#include "tests/unit/model/link/links.h"

namespace weft::link {
namespace {

// The rules of dma_transfer.h without its queues: every event keeps its own time, and each wait is computed from all
// earlier events.
class Oracle {
 public:
  Oracle(const PcieConfig& config, Direction direction, Address host, Bytes bytes)
      : c_(config), time_(config), to_card_(direction == Direction::HostToCard), bytes_(bytes) {
    for (Address at = host, end = host + bytes; at < end;) {
      const Bytes page = c_.dma.host_page_bytes;
      const Address next = std::min({end, (at / page + 1) * page, at + c_.dma.descriptor_max_bytes});
      descriptors_.push_back({at, next});
      at = next;
    }
  }

  Ticks end() {
    if (bytes_ == 0) return 0;
    block_ready_.push_back(fetch(0, 0));
    const auto per_fetch = static_cast<std::size_t>(c_.dma.descriptors_per_fetch);
    for (std::size_t i = 0; i < descriptors_.size(); ++i) {
      const std::size_t block = i / per_fetch;
      const bool begins = i % per_fetch == 0, more = (block + 1) * per_fetch < descriptors_.size();
      bool first = begins && more;
      for (Address at = descriptors_[i].begin; at < descriptors_[i].end;) {
        const Bytes most = to_card_ ? c_.max_read_request_bytes : c_.max_payload_bytes;
        const Address end = std::min({descriptors_[i].end, at / 4 * 4 + most, (at / 4096 + 1) * 4096});
        if (to_card_) {
          if (first) block_ready_.push_back(fetch(block + 1, std::max(up_.free, block_ready_[block])));
          read(at, end, block_ready_[block]);
        } else {
          write(at, end, block, first);
        }
        first = false;
        at = end;
      }
    }
    return end_;
  }

 private:
  struct Range {
    Address begin, end;
  };
  struct Line {
    Ticks free = 0;
    Bytes tlp_bytes = 0;
  };
  struct Event {
    Ticks at;
    std::int64_t amount;
  };

  Ticks send(Line& line, Ticks from, Bytes bytes) const {
    const Bytes interval = c_.dllp_interval_bytes - 2 * c_.dllp_bytes;
    const Ticks end = std::max(from, line.free) + bytes * time_.byte;
    const std::int64_t pairs = (line.tlp_bytes + bytes) / interval - line.tlp_bytes / interval;
    line.tlp_bytes += bytes;
    line.free = end + 2 * pairs * c_.dllp_bytes * time_.byte;
    return end;
  }

  // Returns the time from which `amount` more fit into `capacity`: amount in use = total taken less the returns so far.
  static Ticks fits(std::int64_t capacity, std::int64_t amount, std::int64_t taken, const std::vector<Event>& back) {
    if (capacity == 0) return 0;
    std::int64_t out = taken;
    Ticks at = 0;
    for (const Event& event : back) {
      if (out + amount <= capacity) return at;
      out -= event.amount;
      at = event.at;
    }
    EXPECT_LE(out + amount, capacity);
    return at;
  }
  static std::int64_t total(const std::vector<Event>& events) {
    std::int64_t sum = 0;
    for (const Event& event : events) sum += event.amount;
    return sum;
  }

  Ticks request(Ticks from) {
    const Ticks credit = fits(c_.nonposted_headers, 1, static_cast<std::int64_t>(nonposted_.size()), nonposted_);
    const Ticks sent = send(up_, std::max(from, credit), c_.read_overhead_bytes);
    nonposted_.push_back({sent + time_.of_ps(c_.credit_return_ps), 1});
    return sent + time_.of_ps(c_.read_round_trip_ps);
  }

  Ticks fetch(std::size_t block, Ticks from) {
    const auto per_fetch = static_cast<std::size_t>(c_.dma.descriptors_per_fetch);
    const std::size_t count = std::min(per_fetch, descriptors_.size() - block * per_fetch);
    const Bytes bytes = static_cast<Bytes>(count) * c_.dma.descriptor_bytes;
    Ticks end = 0;
    for (Bytes at = 0; at < bytes; at += c_.max_read_request_bytes) {
      const Ticks ready = request(from);
      const Bytes stop = std::min<Bytes>(bytes, at + c_.max_read_request_bytes);
      for (Bytes part = at; part < stop; part += c_.max_payload_bytes) {
        end = send(down_, ready, std::min<Bytes>(c_.max_payload_bytes, stop - part) + c_.completion_overhead_bytes);
      }
    }
    return end;
  }

  void read(Address begin, Address end, Ticks ready) {
    const auto tag = static_cast<std::int64_t>(tags_.size());
    const Ticks from = std::max({up_.free, ready, fits(c_.dma.tags, 1, tag, tags_),
                                 fits(c_.dma.buffer_bytes, end - begin, total(buffer_), buffer_)});
    const Ticks data = request(from);
    Ticks landed = 0;
    while (begin < end) {
      const Bytes rcb = c_.read_completion_boundary_bytes;
      const Address stop = std::min(end, (begin / 4 * 4 + c_.max_payload_bytes) / rcb * rcb);
      const Bytes payload = (stop + 3) / 4 * 4 - begin / 4 * 4;
      landed = send(down_, data, payload + c_.completion_overhead_bytes) + time_.of_ps(c_.card_write_latency_ps);
      buffer_.push_back({landed, stop - begin});
      begin = stop;
    }
    tags_.push_back({landed, 1});
    end_ = landed;
  }

  void write(Address begin, Address end, std::size_t block, bool fetches) {
    asked_ = std::max({asked_, block_ready_[block], fits(c_.dma.buffer_bytes, end - begin, total(buffer_), buffer_)});
    if (fetches) block_ready_.push_back(fetch(block + 1, asked_));
    const Bytes payload = (end + 3) / 4 * 4 - begin / 4 * 4;
    const std::int64_t units = (payload + 15) / 16;
    const Ticks from = std::max({asked_ + time_.of_ps(c_.card_read_latency_ps),
                                 fits(c_.posted.headers, 1, static_cast<std::int64_t>(headers_.size()), headers_),
                                 fits(c_.posted.data, units, total(data_), data_)});
    const Ticks sent = send(up_, from, payload + c_.write_overhead_bytes);
    headers_.push_back({sent + time_.of_ps(c_.credit_return_ps), 1});
    data_.push_back({sent + time_.of_ps(c_.credit_return_ps), units});
    buffer_.push_back({sent, end - begin});
    end_ = sent + time_.of_ps(c_.host_write_latency_ps);
  }

  PcieConfig c_;
  WireTime time_;
  bool to_card_;
  Bytes bytes_;
  std::vector<Range> descriptors_;
  std::vector<Ticks> block_ready_;
  Line up_, down_;
  std::vector<Event> tags_, buffer_, nonposted_, headers_, data_;
  Ticks asked_ = 0, end_ = 0;
};

TEST(Link, TakesTheTimeOfTheRulesLookedUpInAllThatWas) {
  RandomLink random(2);
  for (int i = 0; i < 1500; ++i) {
    const PcieConfig config = random.any();
    const Direction direction = random.direction();
    const Address host = random.host_address() % config.dma.host_page_bytes;
    const Bytes bytes = random.below(i % 50 == 0 ? 600'000 : 60'000);
    ASSERT_EQ(simulate(config, direction, host, bytes, Stepping::Skip).end.ticks,
              Oracle(config, direction, host, bytes).end())
        << "try " << i;
  }
}

}  // namespace
}  // namespace weft::link
