#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/core/units.h"
#include "model/nada/entity.h"
#include "platform/config/inputs.h"
#include "platform/record/record.h"

// Results of clusters, as printed, saved and read back.
namespace weft::cluster {

// First keys of every cluster result.
struct ResultHead {
  std::string weft_version, cluster, design, network, board;
  int number_of_boards = 0;
  double clock_mhz = 0;
  std::optional<config::Inputs> inputs = std::nullopt;

  std::string boards_text() const;  // "4 x u250", or "u250, u50"
};

// Resources of a board that a NADA plan may use; nothing if the board does not state them.
struct NadaLimit {
  std::int64_t dsp = 0, block_ram = 0, mlab = 0;
  std::optional<std::int64_t> registers;
  std::optional<double> dram_gbytes_per_s;
  double link_gbits_per_s = 0;
};

struct NadaBoard {
  std::string first_layer, last_layer;
  std::size_t layers = 0;
  nada::Use used;
  std::int64_t fifo_block_ram = 0;
  double dram_gbytes_per_s = 0;
  std::optional<double> link_gbits_per_s;  // nothing for the last board
  std::optional<std::string> board;        // its name, and ...
  std::optional<NadaLimit> limit;          // ... its limit, if the boards are not all alike
};

struct NadaLayer {
  std::string layer;
  std::size_t board = 0;  // counts from 1
  int passes = 0;
  nada::Parallelism lanes;
  Cycles interval = 0, cycles = 0;  // per pixel, per image
  nada::Use used;
};
void fields(record::Visitor& io, NadaLayer& layer);

// Batch sizes at which filling and draining the planned pipeline gives a published rate.
struct ImpliedBatch {
  double images = 0, images_with_update = 0;
  Words update_words = 0;
};

inline constexpr int kEpochs = 150;  // approximate epochs of a run in NADA's published table

// Row of this table.
struct PublishedRate {
  std::string network, cluster;
  std::int64_t measured = 0, planned = 0;  // images per second
  std::int64_t plan_minutes = 0, run_hours = 0;

  double epochs_hours() const;  // of kEpochs epochs of ImageNet at the measured rate
  std::string text() const;     // "Demo, 4 x 10AX115: 558 images/s planned, 378 measured ..."
};

struct NadaPublished : PublishedRate {
  double overhead_ms_an_image = 0, epochs = 0, hours = 0;
  ImpliedBatch implied_batch;
};

struct NadaSimulated {
  double cycles_an_image = 0;
  double images_per_second = 0, change = 0;  // change: against the planned rate
  std::string slowest_block;
  double resent_frames_an_image = 0;
  Cycles latency_cycles = 0;
  double latency_images = 0;
  Words store_words = 0, fifo_words = 0;
  std::int64_t fifo_block_ram = 0, block_ram_left = 0;
};

// Plan in which each layer has its own implementation.
struct NadaResult {
  ResultHead head;
  Cycles cycles_an_image = 0;
  double images_per_second = 0, pooled_images_per_second = 0, gap = 0;
  std::string placement;  // "contiguous", "any"
  std::optional<double> contiguous_images_per_second;
  double proven_images_per_second = 0, proven_gap = 0;
  std::int64_t questions_given_up = 0;
  std::vector<std::string> binds;
  std::optional<double> next_images_per_second;
  NadaSimulated simulated;
  std::string fifos;  // "within", "beside"
  double images_per_s_with_fifos_beside = 0;
  std::optional<NadaLimit> limit;  // nothing if the boards are not all alike
  std::vector<NadaBoard> boards;
  std::vector<NadaLayer> layers;
  std::vector<NadaPublished> published;  // only of this network on these boards
  std::vector<std::string> assumed, left_out;

  const NadaLimit& limit_of(const NadaBoard& of) const { return of.limit ? *of.limit : limit.value(); }
};
void fields(record::Visitor& io, NadaResult& result);

struct ArrayPart {
  std::string layer;
  int first_filter = 0, filters = 0, of_filters = 0;
  std::int64_t dsp_a_pass = 0;
  Cycles cycles_a_pixel = 0, cycles = 0;
};

struct ArrayBoard {
  std::int64_t dsp = 0;
  Cycles cycles = 0;
  Words stored_words = 0, weights = 0, gradients = 0, features = 0, lines = 0, waiting = 0;
  std::vector<ArrayPart> parts;
};

struct ArrayMemory {
  Words words = 0, room = 0;
  bool fits = false;
  Words board_words = 0;
  std::size_t fullest_board = 0;  // counts from 1
  Words fullest_excess_words = 0;
  std::size_t fullest_board_of_weights = 0;  // counts from 1
  double weight_fetch_gbits_per_s = 0;
};

struct ArraySimulated {
  double cycles_an_image = 0;
  double images_per_second = 0, change = 0;  // change: against the planned rate
  std::string slowest_block, reading;
  Cycles latency_cycles = 0;
};

// Scaling of the array under one reading of its links.
struct ArrayReading {
  std::string name, reading;
  int linear_boards = 0;
  double link_gbits_per_s = 0, busiest_gbits_per_s = 0;
  std::string busiest_link;
  std::vector<double> images_per_second;  // on 1, 2, ... boards
};

// Published figure of such an array, one of: the number of boards up to which it scales, the rate of a board.
struct PublishedBoards {
  std::optional<int> boards;
  std::optional<double> gops_per_board;
  std::string source, board;  // name of the boards
  std::vector<std::string> networks;

  std::string text() const;  // "60 boards", "1157 GOPS per board"
};

// Plan of FPDeep's array.
struct ArrayResult {
  ResultHead head;
  double balance = 0;
  Cycles cycles_an_image = 0;
  double images_per_second = 0, images_per_second_per_board = 0;
  double gops_per_board = 0, peak_gops_per_board = 0;
  ArraySimulated simulated;
  ArrayMemory memory;
  std::string storage_reading;
  std::vector<ArrayBoard> boards;
  int scaling_to = 0;
  std::vector<ArrayReading> readings;
  std::vector<PublishedBoards> published;
  std::vector<std::string> assumed;
};
void fields(record::Visitor& io, ArrayResult& result);

// Steps of a batch in their order, with their meanings.
inline constexpr std::pair<const char*, const char*> kBatchSteps[] = {
    {"fill", "until the last gradient of the first image, or until the last pixel enters"},
    {"steady", "images enter and leave"},
    {"drain", "after the last pixel enters"},
    {"update", "of the slowest layer's weights"}};

struct BatchStep {
  std::string step;  // of kBatchSteps
  Cycles cycles = 0;
  double seconds = 0;
};
void fields(record::Visitor& io, BatchStep& step);

struct BatchEfficiency {
  std::int64_t batch = 0;  // images
  double efficiency = 0;
};

// Pixels from F that wait for GW of a layer: the maximum at any time, including those in transit.
struct StoreUse {
  std::string store;
  std::int64_t pixels = 0;
  Words words = 0;
  double images = 0;
};

struct LinkUse {
  std::size_t from = 0;    // board before the link, counts from 1
  double gbits_per_s = 0;  // per direction, in the steady state
  double part = 0;         // fraction of the goodput
};

// Timeline of training in batches with a plan.
struct BatchResult {
  ResultHead head;
  std::int64_t batch = 0;  // images
  std::vector<BatchStep> steps;
  std::vector<BatchEfficiency> efficiencies;  // for batches of 1, 2, 4, ... images
  std::vector<StoreUse> stores;
  std::vector<LinkUse> links;
  double efficiency = 0;
  double images_per_second = 0, endless_images_per_second = 0;  // including updates; without batch limits
  std::int64_t dataset_images = 0;
  double epoch_hours = 0;
  std::vector<std::string> assumed;
};
void fields(record::Visitor& io, BatchResult& result);

}  // namespace weft::cluster
