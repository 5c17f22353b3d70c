#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model/nada/entity.h"

namespace weft::nada {

// Tensor between entities: output of `from`, read up to `last`. Its gradient takes the reverse path.
struct Tensor {
  std::size_t from = 0, last = 0;    // indices of entities
  Words words = 0;                   // per image
  std::vector<std::size_t> between;  // other readers, before `last`
};
std::vector<std::size_t> readers(const Tensor& tensor);  // including `last`

struct Board {
  std::string name;
  Use limit;                          // resources available to entities
  std::int64_t dram_bytes_per_s = 0;  // over all channels
};

// Placement of entities: each board takes consecutive entities, in the order of both; or any placement.
enum class Placement : std::uint8_t { Contiguous, Any };

// Memory of the activations that wait from F to GW.
enum class Activations : std::uint8_t { Dram, M20k };

struct Problem {
  std::vector<Entity> entities;  // in topological order, which is the order of placement
  std::vector<Tensor> tensors;
  std::vector<Board> boards;                  // in the order of filling
  std::vector<std::int64_t> link_bits_per_s;  // goodput per direction, from each board to the next
  std::int64_t clock_hz = 0;
  int word_bits = 32;
  Costs costs;
  Activations activations = Activations::Dram;
  std::int64_t stored_images = 7;  // in M20K: maximum images in flight
  Placement placement = Placement::Contiguous;
  std::uint32_t solver_steps = 20'000'000;  // approximate limit per Z3 query, for any placement
};

struct Placed {
  std::size_t first = 0, last = 0;  // the first entity and the end after the last one ...
  std::size_t entities = 0;         // ... and their number; with contiguous placement, all in between
  Use use;
  std::int64_t dram_bytes = 0;  // per image, read and written
};

struct Plan {
  Cycles period = 0;                  // cycles per image
  Cycles next_period = 0;             // next shorter period that any entity can attain; 0: none
  std::vector<Choice> chosen;         // of each entity
  std::vector<std::size_t> board_of;  // of each entity
  std::vector<Placed> boards;         // contiguous: the boards used; any: all boards
  std::vector<Words> link_words;      // per image and direction, of each link between boards
  std::vector<std::string> binds;     // bounds each of which, if absent, would allow next_period
  Cycles pooled_period = 0;           // period of all boards pooled without links: a lower bound for any placement
  Cycles contiguous_period = 0;       // shortest period with contiguous placement; 0: none
  Cycles proven_period = 0;           // proven lower bound for the requested kind of placement
  std::int64_t unknown = 0;           // Z3 queries given up
  std::int64_t decisions = 0;         // periods decided
  std::int64_t front = 0;             // largest number of points of a front
};

// Words per image that cross a cut before entity `at`, in each direction.
Words cut_words(const Problem& problem, std::size_t at);

// Memory blocks for the words of an entity that wait from F to GW; 0 if they wait in DRAM.
std::int64_t stored_blocks(const Problem& problem, const Entity& entity);
// Words per image that a link of `bits_per_s`, or the DRAM of a board, can sustain.
Words most_link_words(const Problem& problem, Cycles period, std::int64_t bits_per_s);
Words most_dram_words(const Problem& problem, Cycles period, const Board& board);

// True if the entities can be placed in order, each board taking consecutive ones. Exact: for each board the Pareto
// front of resource sums is extended until it is empty; the next board begins at the last allowed cut, which leaves the
// least to place.
bool feasible(const Problem& problem, Cycles period);

// Progress callback, called periodically. Returning false stops the search, and the best plan so far is the result.
using Progress = std::function<bool(std::int64_t done, std::int64_t all, Cycles best)>;

// Returns the plan with the shortest period. Contiguous: binary search over all attainable periods. Any: Z3 then tries
// shorter periods, down to the bound of the pooled boards. If there is no plan, throws Error that names the missing
// resource, its amount and the layer.
Plan plan(const Problem& problem, const Progress& progress = {});

// plan() without `binds`, which takes as long again; and the `binds` of such a plan.
Plan plan_alone(const Problem& problem, const Progress& progress = {});
std::vector<std::string> what_binds(const Problem& problem, const Plan& plan, const Progress& progress = {});

}  // namespace weft::nada
