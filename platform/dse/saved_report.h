#pragma once

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <string>

#include "model/core/error.h"

namespace weft::dse {

// Hands the JSON of a report on one exploration to `read`; what is wrong with it is said of the file. `schema`: the
// version that is read. Throws InputError.
template <class Json = nlohmann::json, class Read>
auto read_report(const std::string& json, const std::string& file, int schema, Read read) {
  const Json report = Json::parse(json, nullptr, false);
  if (!report.is_object() || !report.contains("exploration")) throw InputError(file, 0, "", "is no result of weft dse");
  try {
    if (report.at("schema") != schema) {
      throw Error(
          fmt::format("is of schema {}, not {}: made by another version of weft", report.at("schema").dump(), schema));
    }
    return read(report);
  } catch (const nlohmann::json::exception& error) {
    throw InputError(file, 0, "", fmt::format("is not as weft dse writes it ({})", error.what()));
  } catch (const InputError&) {
    throw;
  } catch (const Error& error) {
    throw InputError(file, 0, "", error.what());
  }
}

}  // namespace weft::dse
