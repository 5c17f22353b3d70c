#pragma once

#include <memory>
#include <string>
#include <utility>

#include "platform/config/reader.h"
#include "platform/config/run_config.h"

namespace weft::config {

// Base of a design's kernel `Config`: its file follows from `Config::fields(io, config)`, which is instantiated for
// MapReader and MapWriter, and its design's name is `Config::kDesign`.
template <class Config>
class KernelBase : public Kernel {
 public:
  const char* design() const override { return Config::kDesign; }
  std::shared_ptr<Kernel> copy() const override { return std::make_shared<Config>(self()); }
  Node write() const override {
    MapWriter writer;
    Config copy = self();
    Config::fields(writer, copy);
    return writer.take();
  }

  // `key` is the node's place in the run: "kernel", or "" for a file of its own.
  static std::shared_ptr<Config> read(const Node& node, const std::string& key) {
    auto kernel = std::make_shared<Config>();
    MapReader reader(node, key);
    Config::fields(reader, *kernel);
    reader.finish();
    return kernel;
  }
  // The kernel of a run of this design.
  static const Config& of(const RunConfig& run) { return dynamic_cast<const Config&>(*run.kernel); }

 private:
  const Config& self() const { return static_cast<const Config&>(*this); }
};

// A run with another kernel in it.
inline RunConfig with_kernel(RunConfig run, const Kernel& kernel) {
  run.kernel = kernel.copy();
  return run;
}

}  // namespace weft::config
