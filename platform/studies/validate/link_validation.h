#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/link/link.h"
#include "platform/config/board.h"
#include "platform/config/host.h"
#include "platform/config/inputs.h"
#include "platform/config/run_config.h"
#include "platform/config/schedule.h"
#include "platform/record/record.h"

namespace weft::validate {

// Validation of a board's PCIe link: the model against measured transfers, and the closed form against the simulation.
// Its file has the key `link`.
struct LinkValidation {
  // Rate of one call.
  struct MeasuredPoint {
    Bytes bytes = 0;
    double to_card_mib_per_s = 0, to_host_mib_per_s = 0;
  };
  struct MeasuredTime {
    std::string what;
    link::Direction direction = link::Direction::HostToCard;
    std::int64_t calls = 1;
    Bytes bytes = 0;  // per call
    double ms = 0;
  };

  std::string name;
  std::string title;
  config::Board board;
  config::Host host;
  config::Calls calls = config::Calls::OpenCl;
  std::string measured_source, beside_source;
  double measured_tolerance_percent = 10, beside_tolerance_percent = 20, closed_form_tolerance_percent = 0.1;
  std::vector<MeasuredPoint> measured;
  std::vector<MeasuredTime> beside;
  std::vector<Bytes> closed_form;
  std::string resolved_yaml;
};

// True if the validation `name_or_path` is of a link. Throws InputError if there is no such file.
bool is_link_validation(const std::string& name_or_path, const config::Library& library);

// Overrides: keys with the prefix "validate.", "board." or "host.". Throws InputError.
config::Node describe_link_validation();  // JSON Schema of the file
LinkValidation load_link_validation(const std::string& name_or_path, const std::vector<config::Override>& overrides,
                                    const config::Library& library);

// Figure of the model and its reference.
struct LinkRow {
  std::string held_to;  // "measured", "beside", "closed form"
  std::string what;
  std::string direction;  // "H2C", "C2H"
  Bytes bytes = 0;
  std::string unit;
  double model = 0, reference = 0;
  double error = 0, tolerance_percent = 0;
  bool holds = false;
};
void fields(record::Visitor& io, LinkRow& row);

// Closed form of the link in one direction.
struct LinkRate {
  std::string direction;
  double bytes_per_s = 0;
  std::string bound;
};

// Result of a link validation, as printed, saved and read back.
struct LinkResult {
  std::string weft_version = record::weft_version(), name;
  std::optional<std::string> title;
  std::string board, host;
  int pcie_generation = 0, pcie_lanes = 0;
  std::vector<LinkRate> rates;
  std::optional<std::string> measured_source, beside_source;
  std::vector<LinkRow> rows;
  std::optional<config::Inputs> inputs;

  bool holds() const;
};
void fields(record::Visitor& io, LinkResult& result);

LinkResult compare(const LinkValidation& validation);

}  // namespace weft::validate
