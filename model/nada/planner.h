#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model/nada/entity.h"

namespace weft::nada {

// A tensor between entities: what `from` gives, read up to `last`. Its gradient comes back the same way.
struct Tensor {
  std::size_t from = 0, last = 0;    // indices of entities
  Words words = 0;                   // an image
  std::vector<std::size_t> between;  // who else reads it, before `last`
};
std::vector<std::size_t> readers(const Tensor& tensor);  // all of them

struct Board {
  std::string name;
  Use limit;                          // what entities may use
  std::int64_t dram_bytes_per_s = 0;  // of all channels together
};

// Which boards entities may be on: each board takes some that follow each other, in the order of both; or any.
enum class Placement : std::uint8_t { Contiguous, Any };

// Where what GW reads waits from F on.
enum class Activations : std::uint8_t { Dram, M20k };

struct Problem {
  std::vector<Entity> entities;  // in topological order, which is that of their placement
  std::vector<Tensor> tensors;
  std::vector<Board> boards;                  // in the order in which they are filled
  std::vector<std::int64_t> link_bits_per_s;  // goodput a direction from each board to the next
  std::int64_t clock_hz = 0;
  int word_bits = 32;
  Costs costs;
  Activations activations = Activations::Dram;
  std::int64_t stored_images = 7;  // in M20K: images that are in flight at most
  Placement placement = Placement::Contiguous;
  std::uint32_t solver_steps = 20'000'000;  // of each question to Z3, about, where placement is any
};

struct Placed {
  std::size_t first = 0, last = 0;  // the first entity, and behind the last one ...
  std::size_t entities = 0;         // ... and how many: if placement is contiguous all between them
  Use use;
  std::int64_t dram_bytes = 0;  // an image, written and read
};

struct Plan {
  Cycles period = 0;                  // cycles an image
  Cycles next_period = 0;             // the next better one that any entity can have; 0: there is none
  std::vector<Choice> chosen;         // of each entity
  std::vector<std::size_t> board_of;  // of each entity
  std::vector<Placed> boards;         // if placement is contiguous as many as have entities, or all
  std::vector<Words> link_words;      // an image, a direction, of each link between them
  std::vector<std::string> binds;     // what alone, if there were no bound of it, would let the next period be
  Cycles pooled_period = 0;           // with all boards as one and no links: no placement whatever is better
  Cycles contiguous_period = 0;       // the shortest with a contiguous placement; 0: there is none
  Cycles proven_period = 0;           // no placement of the kind that is asked for has a shorter one
  std::int64_t unknown = 0;           // questions that Z3 gave up
  std::int64_t decisions = 0;         // periods that were decided
  std::int64_t front = 0;             // most points of a front
};

// Words an image that cross a cut before entity `at`, in each direction.
Words cut_words(const Problem& problem, std::size_t at);

// Blocks of memory in which what waits from F of an entity to its GW lies; none where that is DRAM.
std::int64_t stored_blocks(const Problem& problem, const Entity& entity);
// The words an image that a link of so many bits a second bears, and that a board's DRAM does.
Words most_link_words(const Problem& problem, Cycles period, std::int64_t bits_per_s);
Words most_dram_words(const Problem& problem, Cycles period, const Board& board);

// Whether entities can be placed in their order, each board taking some that follow each other. Exact: of each board
// the Pareto front of the sums of resources is grown until it is empty, and the next board begins at the last cut that
// is allowed; what follows it can only become less.
bool feasible(const Problem& problem, Cycles period);

// Called from time to time; an answer of false stops, and the best so far is the plan.
using Progress = std::function<bool(std::int64_t done, std::int64_t all, Cycles best)>;

// The shortest period with a contiguous placement, by a binary search over all that entities can have; where any is
// allowed, then shorter ones down to what the boards together allow are asked of Z3. Throws Error that names what is
// missing, how much of it and at which layer if there is none.
Plan plan(const Problem& problem, const Progress& progress = {});

// The same, but for what binds, which takes as long again; and what binds such a plan.
Plan plan_alone(const Problem& problem, const Progress& progress = {});
std::vector<std::string> what_binds(const Problem& problem, const Plan& plan, const Progress& progress = {});

}  // namespace weft::nada
