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
// Not modelled: values, arbitration (a block waits for all its inputs and outputs), and tokens of two images in one
// step.
namespace weft::pipeline {

using BlockId = std::size_t;  // index into Pipeline::blocks
using FifoId = std::size_t;   // index into Pipeline::fifos

// `count` equal steps.
struct Steps {
  std::int64_t count = 1;
  bool takes = true, gives = true;
  Cycles cycles = 1;  // of each
};

struct Block {
  std::string name;
  std::vector<Steps> image;  // its steps for an image
  std::int64_t kept = 0;     // tokens that others wait for and it never gives: a partial packet that is not flushed

  std::int64_t taken() const;  // tokens an image, of each input
  std::int64_t given() const;  // of each output
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
  // Throws Error unless each FIFO is given as many tokens an image as are taken from it, but for those that its block
  // keeps, and every block does something.
  void validate() const;
};

// What is said of a token that comes to a full FIFO.
[[noreturn]] void throw_overflow(const Pipeline& pipeline, const Fifo& fifo, std::int64_t image);

}  // namespace weft::pipeline
