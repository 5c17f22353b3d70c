#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/core/units.h"

// A pipeline of dedicated blocks, joined by FIFOs, through which images stream: a token is a pixel with its channels.
//
// A block does the same steps for every image, in order. A step takes a token of each input in its first cycle, if it
// takes any, and gives one to each output in its last, if it gives any. It begins when all inputs have a token, the
// cycle after the step before ended; where an output is full in its last cycle it waits, and blocks. As everywhere a
// token that is given in cycle t is there from t + 1 on, and so is the place of one that is taken.
//
// A block that streams share (a port of a DRAM, a link that several tensors cross) takes one token at a time, and gives
// it to that stream's output; who is next is arbitrated. All other blocks wait for all their inputs and outputs.
//
// Not modelled: values, and tokens of two images in one step.
namespace weft::pipeline {

using BlockId = std::size_t;  // index into Pipeline::blocks
using FifoId = std::size_t;   // index into Pipeline::fifos

// `count` equal steps.
struct Steps {
  std::int64_t count = 1;
  bool takes = true, gives = true;
  Cycles cycles = 1;  // of each
};

// Of a shared block: input i and output i, in the order in which they were joined.
struct Stream {
  std::int64_t tokens = 1;  // an image
  Cycles cycles = 1;        // of each
};

// Whom a shared block serves next, of the streams that have a token when it is idle. RoundRobin: the first behind the
// one that it served last. Priority: the first of all. A token that it took it keeps until that stream's output has a
// place, whoever waits meanwhile.
enum class Arbitration { RoundRobin, Priority };

struct Block {
  std::string name;
  std::vector<Steps> image;  // its steps for an image
  std::int64_t kept = 0;     // tokens that others wait for and it never gives: a partial packet that is not flushed

  std::vector<Stream> streams = {};  // of a shared block, which has no `image`
  Arbitration arbitration = Arbitration::RoundRobin;

  bool shared() const { return !streams.empty(); }
  std::int64_t taken() const;  // tokens an image, of each input; of a shared block of all of them
  std::int64_t given() const;  // of each output, likewise
  Cycles cycles() const;       // an image, if it never waits
};

inline constexpr std::int64_t kUnbounded = 0;

// How a FIFO holds back who gives to it. Credit: it has a place for every token that is on its way. None: it does not;
// a token that comes to a full FIFO is an error, for nobody would send it again (plain UDP).
enum class Flow { Credit, None };

struct Fifo {
  std::string name;
  BlockId from = 0, to = 0;
  std::int64_t depth = kUnbounded;  // tokens
  Cycles latency = 0;               // of a token on its way, and of its place on the way back: a link
  Flow flow = Flow::Credit;

  // Whether who gives to it may have to wait.
  bool waits() const { return depth != kUnbounded && flow == Flow::Credit; }
};

struct Pipeline {
  std::vector<Block> blocks;
  std::vector<Fifo> fifos;

  BlockId add(Block block);
  FifoId join(BlockId from, BlockId to, std::int64_t depth = kUnbounded);

  std::vector<std::vector<FifoId>> inputs() const, outputs() const;  // of each block
  bool shared() const;                                               // whether a block is
  std::int64_t given(FifoId fifo) const, taken(FifoId fifo) const;   // tokens an image
  // Throws Error unless each FIFO is given as many tokens an image as are taken from it, but for those that its block
  // keeps, and every block does something; and each stream of a shared block has an input and an output.
  void validate() const;
};

// What is said of a token that comes to a full FIFO.
[[noreturn]] void throw_overflow(const Pipeline& pipeline, const Fifo& fifo, std::int64_t image);

}  // namespace weft::pipeline
