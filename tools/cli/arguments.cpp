#include "tools/cli/arguments.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>

namespace weft::tools {

Argument& Argument::required() {
  option_->required();
  return *this;
}
Argument& Argument::needs(const Argument& other) {
  option_->needs(other.option_);
  return *this;
}
Argument& Argument::excludes(const Argument& other) {
  option_->excludes(other.option_);
  return *this;
}
Argument& Argument::excludes(const std::string& name) {
  option_->excludes(name);
  return *this;
}
Argument& Argument::range(std::int64_t low, std::int64_t high) {
  option_->check(CLI::Range(low, high));
  return *this;
}
Argument& Argument::positive() {
  option_->check(CLI::PositiveNumber);
  return *this;
}
Argument& Argument::not_negative() {
  option_->check(CLI::NonNegativeNumber);
  return *this;
}

Argument& Argument::heading(const std::string& text) {
  option_->group(text);
  return *this;
}

Argument Arguments::added(CLI::Option* option) const {
  if (!heading_.empty()) option->group(heading_);
  return Argument(option);
}

template <class T>
Argument Arguments::add_option(const std::string& name, T& value, const std::string& type, const std::string& help) {
  return added(command_.add_option(name, value, help)->type_name(type)->option_text(type));
}
template Argument Arguments::add_option(const std::string&, std::string&, const std::string&, const std::string&);
template Argument Arguments::add_option(const std::string&, std::optional<std::string>&, const std::string&,
                                        const std::string&);
template Argument Arguments::add_option(const std::string&, int&, const std::string&, const std::string&);
template Argument Arguments::add_option(const std::string&, std::int64_t&, const std::string&, const std::string&);
template Argument Arguments::add_option(const std::string&, std::uint64_t&, const std::string&, const std::string&);
template Argument Arguments::add_option(const std::string&, std::optional<std::int64_t>&, const std::string&,
                                        const std::string&);

template <class T>
Argument Arguments::add_argument(const std::string& name, T& value, const std::string& help) {
  return added(command_.add_option(name, value, help));
}
template Argument Arguments::add_argument(const std::string&, std::string&, const std::string&);
template Argument Arguments::add_argument(const std::string&, std::vector<std::string>&, const std::string&);

Argument Arguments::add_flag(const std::string& name, bool& value, const std::string& help) {
  return added(command_.add_flag(name, value, help));
}
Argument Arguments::add_list(const std::string& name, std::vector<std::string>& values, const std::string& type,
                             const std::string& help) {
  return added(command_.add_option(name, values, help)
                   ->type_name(type)
                   ->option_text(type)
                   ->expected(1)
                   ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll));
}

Argument Arguments::add_set(std::vector<std::string>& sets, const std::string& what) {
  return add_list("--set", sets, "KEY=VALUE", fmt::format("Override {}; repeatable", what));
}

void Arguments::heading(const std::string& text) {
  heading_ = text;
}

Argument Arguments::add_only(std::string& only) {
  return add_option("--only", only, "PATTERN", "Comma-separated convolutions: LAYER or LAYER:KIND, with * and ?");
}
void Arguments::add_rung(std::string& rung) {
  add_option("--rung", rung, "RUNG", "analytical, systemc or exact; short for --set rung=RUNG");
}
void Arguments::add_format(std::string& format, bool csv) {
  add_option(
      "--format", format, "FORMAT",
      csv ? "Printed format: table, json or csv (default table)" : "Printed format: table or json (default table)")
      .heading(headings::kOutput);
}
void Arguments::add_columns(std::string& columns) {
  add_option("--columns", columns, "LIST", "Comma-separated columns of table or CSV (names as in --format csv)")
      .heading(headings::kOutput);
}

void Arguments::add_rows(std::string& rows, bool& verbose) {
  add_option("--rows", rows, "N", "Number of rows, costliest convolutions first, or all (default 10)")
      .heading(headings::kOutput);
  add_flag("--verbose", verbose, "Also origin of the cycles, layers of the host, and zeros").heading(headings::kOutput);
}

void Arguments::add_workers(std::string& workers, const std::string& who) {
  add_option("--workers", workers, "N", who + "; auto: one per processor (default auto)").heading(headings::kExecution);
}

void Arguments::add_cache(CacheOptions& options) {
  add_option("--cache", options.directory, "DIR", "Cache of simulated convolutions (default: see weft cache)")
      .heading(headings::kExecution);
  add_flag("--no-cache", options.off, "Neither read nor write the cache").heading(headings::kExecution);
  add_flag("--quiet", options.quiet, "Print no notes on standard error, only warnings and errors")
      .heading(headings::kExecution);
}

void Arguments::add_save(SaveOptions& options, const std::string& name) {
  add_option("--out", options.out, "DIR", fmt::format("Directory of the saved result (default results/{})", name))
      .heading(headings::kOutput);
  add_flag("--no-save", options.no_save, "Print the result without saving it").heading(headings::kOutput);
}

void Arguments::add_result(ResultOptions& options, const std::string& name, const std::string& who) {
  add_format(options.format);
  add_columns(options.columns);
  add_save(options.save, name);
  add_workers(options.workers, who);
}

void Arguments::complete_footer(const std::string& text) {
  command_.footer(fmt::format(fmt::runtime(command_.get_footer()), text));
}

}  // namespace weft::tools
