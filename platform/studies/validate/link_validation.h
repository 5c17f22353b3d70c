#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/link/link.h"
#include "platform/config/board.h"
#include "platform/config/host.h"
#include "platform/config/run_config.h"
#include "platform/config/schedule.h"

namespace weft::validate {

// A validation of a board's PCIe: the model against measured transfers, and the link's closed form against its
// simulation. A file with the key `link` is one.
struct LinkValidation {
  // The rate of one call, in MiB/s.
  struct MeasuredPoint {
    Bytes bytes = 0;
    double to_card_mib_per_s = 0, to_host_mib_per_s = 0;
  };
  struct MeasuredTime {
    std::string what;
    link::Direction direction = link::Direction::HostToCard;
    std::int64_t calls = 1;
    Bytes bytes = 0;  // of each
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

// Whether the validation `name_or_path` is of a link. Throws InputError if there is no such file.
bool is_link_validation(const std::string& name_or_path, const config::Library& library);

// Overrides: "validate." and a key of its own, or "board." and "host." and a key of those. Throws InputError.
LinkValidation load_link_validation(const std::string& name_or_path, const std::vector<config::Override>& overrides,
                                    const config::Library& library);

// One figure of the model beside what it is held to.
struct LinkRow {
  std::string group;  // "measured", "beside", "closed form"
  std::string what;
  link::Direction direction = link::Direction::HostToCard;
  Bytes bytes = 0;
  std::string unit;
  double model = 0, reference = 0;
  double tolerance_percent = 0;

  double error_percent() const { return 100 * (model / reference - 1); }
  bool holds() const;
};
std::vector<LinkRow> compare(const LinkValidation& validation);

}  // namespace weft::validate
