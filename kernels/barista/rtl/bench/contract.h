// Executable CONTRACT.md of Barista's blocks. Each cycle of the RTL is compared with it, block by block; its only
// inputs are the transfers seen so far at FIFOs and ports, nothing internal to the RTL.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

enum FifoId { kABeat, kBBeat, kATile, kBTile, kCTile, kCRow, kCBeat, kFifos };
inline constexpr const char* kFifoNames[kFifos] = {"a_beat", "b_beat", "a_tile", "b_tile", "c_tile", "c_row", "c_beat"};
enum BlockId { kAReader, kAFill, kBReader, kBFill, kMesh, kDrain, kEncode, kWriter, kBlocks };
inline constexpr const char* kBlockNames[kBlocks] = {"a_reader", "a_fill", "b_reader", "b_fill",
                                                     "mesh",     "drain",  "encode",   "c_writer"};

struct Alpha {
  int64_t tr, tc, tp, s1, band, beat_depth, row_depth, max_burst, outstanding;
  int64_t beats(bool b) const { return (tp * (b ? tc : tr) + band - 1) / band; }
  int64_t mesh_cycles() const { return tp + tr + tc - 2; }
  int64_t final_cycles() const { return s1 * s1; }
};

struct Gemm {
  int64_t rt = 1, ct = 1, k = 1;
  int64_t a = 0, b = 0, c = 0, params = 0;  // bytes
  int64_t tiles() const { return rt * ct * k; }
  int64_t words(const Alpha& alpha) const { return rt * ct * alpha.tr * alpha.tc; }
};

// Transfers at a port in a cycle, and the signals offered to it.
struct PortCycle {
  bool address = false, beat = false, response = false;  // accepted
  int64_t at = 0, length = 0;                            // byte address and beats of the address
  bool visible = false;                                  // a beat was visible
  bool address_ready = false, data_ready = false;
  bool offers_address = false, offers_beat = false;  // ARVALID or AWVALID; WVALID
  bool last = false;                                 // WLAST
};
struct Cycle {
  std::array<bool, kFifos> push{}, pop{};
  std::array<PortCycle, 3> port;
};

class Contract {
 public:
  Contract(const Alpha& alpha, const Gemm& gemm) : alpha_(alpha), gemm_(gemm) {
    left_words_ = unwritten_ = gemm.words(alpha);
    depth_ = {alpha.beat_depth, alpha.beat_depth, 2, 2, 1, alpha.row_depth, alpha.beat_depth};
  }

  // Compares a cycle. Returns the differences, or an empty text.
  std::string check(const Cycle& seen) {
    Cycle want;
    reader(0, seen, want);
    reader(1, seen, want);
    fill(false, want);
    fill(true, want);
    mesh(want);
    drain(want);
    encode(want);
    writer(seen, want);
    std::string text;
    for (int f = 0; f < kFifos; f++) {
      if (want.push[f] != seen.push[f]) text += std::string(want.push[f] ? " no" : " a") + " push of " + kFifoNames[f];
      if (want.pop[f] != seen.pop[f]) text += std::string(want.pop[f] ? " no" : " a") + " pop of " + kFifoNames[f];
      fill_[f] += want.push[f] - want.pop[f];
    }
    for (int p = 0; p < 3; p++) {
      const PortCycle &w = want.port[p], &s = seen.port[p];
      if (w.offers_address != s.offers_address || w.offers_beat != s.offers_beat || w.beat != s.beat ||
          w.response != s.response || (w.offers_address && (w.at != s.at || w.length != s.length)) ||
          (p == 2 && w.beat && w.last != s.last))
        text += " port " + std::to_string(p) + " (address " + std::to_string(s.offers_address) + " not " +
                std::to_string(w.offers_address) + ", at " + std::to_string(s.at) + " not " + std::to_string(w.at) +
                ", length " + std::to_string(s.length) + " not " + std::to_string(w.length) + ", beat " +
                std::to_string(s.beat) + " not " + std::to_string(w.beat) + ")";
    }
    return text;
  }
  // Order of the counts: idle, starved, blocked, active.
  std::array<std::array<int64_t, 4>, kBlocks> activity{};

 private:
  void note(BlockId block, bool moved, bool blocked, bool starved) {
    activity[block][moved ? 3 : blocked ? 2 : starved ? 1 : 0]++;
  }
  bool room(FifoId f) const { return fill_[f] < depth_[f]; }
  bool there(FifoId f) const { return fill_[f] > 0; }

  // RD-1 to RD-6, BAR-1.
  void reader(int p, const Cycle& seen, Cycle& want) {
    Reader& r = readers_[p];
    const PortCycle& s = seen.port[p];
    PortCycle& w = want.port[p];
    const FifoId fifo = p ? kBBeat : kABeat;
    const int64_t beats = alpha_.beats(p), beat_bytes = alpha_.band * 4;
    if (r.tile < gemm_.tiles() && r.open < alpha_.outstanding) {
      const int64_t k = r.tile % gemm_.k, j = r.tile / gemm_.k % gemm_.ct, i = r.tile / gemm_.k / gemm_.ct;
      w.at = (p ? gemm_.b + (j * gemm_.k + k) * beats * beat_bytes : gemm_.a + (i * gemm_.k + k) * beats * beat_bytes) +
             r.beat * beat_bytes;
      w.length = std::min({beats - r.beat, alpha_.max_burst, (4096 - w.at % 4096) / beat_bytes});
      w.offers_address = true;
      w.address = s.address_ready;
    }
    w.beat = s.visible && room(fifo);  // every beat is useful
    want.push[fifo] = w.beat;
    note(p ? kBReader : kAReader, w.address || w.beat, s.visible && !room(fifo), r.taken < gemm_.tiles() * beats);
    if (w.beat) {
      r.taken++;
      if (s.last) r.open--;
    }
    if (w.address) {
      r.open++;
      r.beat += w.length;
      if (r.beat == beats) {
        r.beat = 0;
        r.tile++;
      }
    }
  }

  // BAR-2.
  void fill(bool b, Cycle& want) {
    const FifoId in = b ? kBBeat : kABeat, out = b ? kBTile : kATile;
    int64_t& taken = filled_[b];
    const bool left = taken < gemm_.tiles() * alpha_.beats(b), take = left && there(in) && room(out);
    want.pop[in] = take;
    want.push[out] = take && (taken + 1) % alpha_.beats(b) == 0;
    note(b ? kBFill : kAFill, take, left && !room(out), left);
    taken += take;
  }

  // BAR-3 to BAR-5.
  void mesh(Cycle& want) {
    const bool left = mesh_tile_ < gemm_.tiles();
    bool moved = false, blocked = false;
    if (left && final_ == 0 && (mesh_ > 0 || (there(kATile) && there(kBTile)))) {
      moved = true;
      if (++mesh_ == alpha_.mesh_cycles()) {
        mesh_ = 0;
        want.pop[kATile] = want.pop[kBTile] = true;
        if ((mesh_tile_ + 1) % gemm_.k == 0)
          final_ = alpha_.final_cycles();
        else
          mesh_tile_++;
      }
    } else if (left && final_ > 0) {
      blocked = final_ == 1 && !room(kCTile);
      moved = !blocked;
      if (moved && --final_ == 0) {
        want.push[kCTile] = true;
        mesh_tile_++;
      }
    }
    note(kMesh, moved, blocked, left);
  }

  // BAR-7.
  void drain(Cycle& want) {
    const int64_t rows = gemm_.rt * gemm_.ct * alpha_.tr;
    const bool left = drained_ < rows, give = left && there(kCTile) && room(kCRow);
    want.push[kCRow] = give;
    want.pop[kCTile] = give && (drained_ + 1) % alpha_.tr == 0;
    note(kDrain, give, left && there(kCTile), left);
    drained_ += give;
  }

  // BAR-8, GRP-1.
  void encode(Cycle& want) {
    const int64_t need = std::min(alpha_.band, left_words_);
    bool moved = false, blocked = false;
    if (need > 0) {
      const bool takes = held_ < need, gives = held_ + (takes ? alpha_.tc : 0) >= need;
      if (takes && !there(kCRow)) {
      } else if (gives && !room(kCBeat)) {
        blocked = true;
      } else {
        moved = true;
        want.pop[kCRow] = takes;
        want.push[kCBeat] = gives;
        held_ += (takes ? alpha_.tc : 0) - (gives ? need : 0);
        left_words_ -= gives ? need : 0;
      }
    }
    note(kEncode, moved, blocked, need > 0);
  }

  // BAR-9, WR-1 to WR-4.
  void writer(const Cycle& seen, Cycle& want) {
    const PortCycle& s = seen.port[2];
    PortCycle& w = want.port[2];
    const int64_t beat_bytes = alpha_.band * 4;
    const bool left = unwritten_ > 0 || unanswered_ > 0;
    const bool opens = there(kCBeat) && burst_left_ == 0 && !address_waits_ && unanswered_ < alpha_.outstanding;
    if (opens) {
      burst_at_ = gemm_.c + written_ * beat_bytes;
      burst_length_ = burst_left_ = std::min(
          {(unwritten_ + alpha_.band - 1) / alpha_.band, alpha_.max_burst, (4096 - burst_at_ % 4096) / beat_bytes});
      address_waits_ = true;
    }
    w.offers_address = address_waits_;
    w.at = burst_at_;
    w.length = burst_length_;
    w.address = address_waits_ && s.address_ready;
    if (w.address) address_waits_ = false;
    w.offers_beat = burst_left_ > 0 && there(kCBeat);
    w.beat = w.offers_beat && s.data_ready;
    w.last = burst_left_ == 1;
    want.pop[kCBeat] = w.beat;
    w.response = s.visible;
    note(kWriter, w.beat || w.address || w.response, w.offers_beat || w.offers_address || there(kCBeat), left);
    if (w.beat) {
      burst_left_--;
      written_++;
      unwritten_ -= std::min(alpha_.band, unwritten_);
    }
    unanswered_ += opens - w.response;
  }

  struct Reader {
    int64_t tile = 0, beat = 0, open = 0, taken = 0;
  };
  Alpha alpha_;
  Gemm gemm_;
  std::array<int64_t, kFifos> fill_{}, depth_{};
  std::array<Reader, 2> readers_;
  std::array<int64_t, 2> filled_{};
  int64_t mesh_tile_ = 0, mesh_ = 0, final_ = 0, drained_ = 0, held_ = 0, left_words_ = 0;
  int64_t unwritten_ = 0, written_ = 0, unanswered_ = 0, burst_left_ = 0, burst_at_ = 0, burst_length_ = 0;
  bool address_waits_ = false;
};
