#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/core/units.h"

// Pipeline of dedicated blocks, joined by FIFOs, through which images stream. A token is a pixel with its channels.
//
// A block makes the same steps for every image, in order. A step may take one token of each input in its first cycle,
// and may give one token to each output in its last cycle. It begins when all inputs have a token, at the earliest one
// cycle after the previous step ended. If an output is full in its last cycle, it blocks. A token given in cycle t is
// available from t + 1 on, and so is the place of a token taken in cycle t.
//
// A block shared by streams (a DRAM port, a link that several tensors cross) takes one token at a time and gives it to
// the output of the same stream; an arbiter selects the next stream among those with a token and a place for it. Other
// blocks wait for all inputs and outputs.
//
// Not modelled: values, and steps with tokens of two images.
namespace weft::pipeline {

using BlockId = std::size_t;  // index into Pipeline::blocks
using FifoId = std::size_t;   // index into Pipeline::fifos

// `count` equal steps.
struct Steps {
  std::int64_t count = 1;
  bool takes = true, gives = true;
  Cycles cycles = 1;  // of each step
};

// Frames of a link that are lost and sent again, or delayed. Both are spread evenly over all frames of a stream, and
// later tokens of the stream wait for a late one.
struct Faults {
  std::int64_t frames = 1;                // per token
  std::int64_t lost = 0, delayed = 0;     // per million frames, at most a million
  Cycles resend_after = 0, delay_by = 0;  // until a lost frame is sent again; more latency of a delayed frame

  bool any() const { return lost > 0 || delayed > 0; }
  std::int64_t lost_of(std::int64_t token) const;  // lost frames of a token; tokens count from 0
  Cycles late(std::int64_t token) const;           // added to the latency of a token
  std::int64_t phase(std::int64_t token) const;    // position of a token in the pattern, which depends on it alone
};

// Stream of a shared block: input i and output i, in the order of join().
struct Stream {
  std::int64_t tokens = 1;  // per image
  Cycles cycles = 1;        // of each token
  Faults faults = {};

  Cycles cycles_of(std::int64_t token) const {
    return cycles + faults.lost_of(token) * ceil_div(cycles, faults.frames);
  }
};

// Selection of the next stream of an idle shared block, among those that have a token and a place in their output.
// RoundRobin: the first after the stream served last. Priority: the first of all.
enum class Arbitration { RoundRobin, Priority };

struct Block {
  std::string name;
  std::vector<Steps> image;  // steps for one image
  std::int64_t kept = 0;     // tokens never given: a partial packet that is not flushed, for which others wait

  std::vector<Stream> streams = {};  // of a shared block, whose `image` is empty
  Arbitration arbitration = Arbitration::RoundRobin;

  bool shared() const { return !streams.empty(); }
  std::int64_t taken() const;  // per image and input; for a shared block the sum over its inputs
  std::int64_t given() const;  // per image and output; for a shared block the sum over its outputs
  Cycles cycles() const;       // per image, if it never waits
};

inline constexpr std::int64_t kUnbounded = 0;

// Flow control of a FIFO. Credit: every token in flight has a reserved place. None: the producer never waits; a token
// that arrives at a full FIFO is an error, because nobody would resend it (plain UDP).
enum class Flow { Credit, None };

struct Fifo {
  std::string name;
  BlockId from = 0, to = 0;
  std::int64_t depth = kUnbounded;  // tokens
  Cycles latency = 0;               // of a token, and of its returned place: a link
  Flow flow = Flow::Credit;

  // True if the producer may have to wait.
  bool waits() const { return depth != kUnbounded && flow == Flow::Credit; }
};

struct Pipeline {
  std::vector<Block> blocks;
  std::vector<Fifo> fifos;

  BlockId add(Block block);
  FifoId join(BlockId from, BlockId to, std::int64_t depth = kUnbounded);

  std::vector<std::vector<FifoId>> inputs() const, outputs() const;  // of each block
  bool shared() const;                                               // true if any block is shared
  std::int64_t given(FifoId fifo) const, taken(FifoId fifo) const;   // tokens per image
  // Throws Error unless each FIFO is given as many tokens per image as are taken from it, apart from those that its
  // block keeps; every block does something; and each stream of a shared block has an input and an output.
  void validate() const;
};

// Throws Error for a token that arrives at a full FIFO.
[[noreturn]] void throw_overflow(const Pipeline& pipeline, const Fifo& fifo, std::int64_t image);

}  // namespace weft::pipeline
