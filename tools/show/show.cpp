#include "tools/show/show.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "model/core/error.h"
#include "model/link/closed_form.h"
#include "platform/config/reader.h"

namespace weft::tools {

using namespace weft::config;

namespace {

std::string line(const char* label, const std::string& value) {
  return fmt::format("  {:<11}{}\n", label, value);
}
template <class... Values>
std::string line(const char* label, fmt::format_string<Values...> format, Values&&... values) {
  return line(label, fmt::format(format, std::forward<Values>(values)...));
}

std::string title(const char* what, const std::string& name, const std::string& title) {
  return fmt::format("{} {}{}\n", what, name, title.empty() ? "" : ": " + title);
}

std::string bytes_text(Bytes bytes) {
  const char* const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && bytes % 1024 == 0 && unit + 1 < std::size(units); ++unit) bytes /= 1024;
  return fmt::format("{} {}", bytes, units[unit]);
}

std::string count_text(const std::optional<ResourceCount>& count) {
  if (!count) return "-";
  return count->usable == count->total ? std::to_string(count->total)
                                       : fmt::format("{} ({} usable)", count->total, count->usable);
}

std::string memory_lines(const Memory& memory) {
  if (const auto* ideal = std::get_if<IdealMemory>(&memory)) {
    return line("memory", "ideal: one beat a cycle per port, {} cycles of latency", ideal->latency_cycles);
  }
  if (const auto* other = std::get_if<UnmodelledMemory>(&memory)) {
    return line("memory", "{}: {} channels of {}, {} MT/s; not modelled, for resource checks only", kind_name(memory),
                other->channels, bytes_text(other->bytes_per_channel), exact_text(other->data_rate_mtps));
  }
  const auto& ddr4 = std::get<Ddr4Memory>(memory);
  const Ddr4Timing& t = ddr4.timing;
  std::string out =
      line("memory", "ddr4: {} channels of {}, {} MT/s, {} bits; peak {:.2f} GB/s each", ddr4.channels,
           bytes_text(ddr4.bytes_per_channel), exact_text(ddr4.data_rate_mtps), ddr4.organisation.data_bits,
           mhz(ddr4.data_rate_mtps) * ddr4.organisation.data_bits / 8 / 1000);
  out +=
      line("", "CL-tRCD-tRP {}-{}-{}, tRAS {}, tRFC {}, tREFI {} clocks", t.cl, t.trcd, t.trp, t.tras, t.trfc, t.trefi);
  const Ddr4Queues& queues = ddr4.queues;
  const GroupMachine& group = ddr4.group_machine;
  out +=
      line("", "map {}, auto-precharge on A3 {}, {}", ddr4.address_map == AddressMap::Rcb ? "RCB" : "INTLV",
           ddr4.auto_precharge_a3 ? "on" : "off",
           ddr4.controller == Controller::Mig ? fmt::format("mig, group machines {} + {}", group.stage1, group.stage2)
                                              : fmt::format("queues {} reads {} writes", queues.read, queues.write));
  const std::string response = fmt::format(", + {} of a write's response", ddr4.write_response_cycles);
  out += line("", "+ {} ns controller, + {} kernel cycles shell{}", exact_text(ddr4.controller_latency_ns),
              ddr4.shell_latency_cycles, ddr4.write_response_cycles == 0 ? "" : response);
  return out;
}

std::string kernel_lines(const Kernel& kernel) {
  std::string out;
  const config::KernelText of_kernel = kernel.text();
  for (const auto& [label, text] : of_kernel.lines) out += line(label.c_str(), text);
  return out;
}

// Memory channel of each port.
std::string channels_text(const RunConfig& run) {
  const std::vector<int> channels = port_channels(run);
  const std::vector<KernelPort> ports = run.kernel->ports();
  std::string text;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", ports[i].name, channels[i]);
  }
  return text;
}

std::string board_lines(const Board& b) {
  std::string out;
  if (!b.part.empty()) out += line("part", "{}, {} SLR{}", b.part, b.slrs, b.slrs == 1 ? "" : "s");
  out += line("resources", "DSP {}, {} {}, URAM {}, LUT {}, FF {}", count_text(b.dsp),
              b.block_ram_kind == BlockRam::Bram36 ? "BRAM36" : "M20K", count_text(b.block_ram), count_text(b.uram),
              count_text(b.lut), count_text(b.ff));
  out += memory_lines(b.memory);
  if (b.pcie) {
    const auto gbytes = [&](link::Direction direction) {
      return link::closed_form(*b.pcie, direction).bytes_per_s / 1e9;
    };
    out += line("pcie", "Gen{} x{}, {:.2f} GB/s to the card, {:.2f} GB/s back", b.pcie->generation, b.pcie->lanes,
                gbytes(link::Direction::HostToCard), gbytes(link::Direction::CardToHost));
  }
  if (b.network) {
    out += line("network", "{} x {}, {} Gb/s each", b.network->ports, b.network->connector,
                b.network->gbits_per_s_per_port);
  }
  if (!b.default_host.empty()) out += line("host", b.default_host + ", unless a run names another");
  if (!b.assumed.empty()) out += line("assumed", join(b.assumed));
  return out;
}

std::string giga(std::int64_t per_second) {
  return fmt::format("{}", static_cast<double>(per_second) / 1e9);
}

std::string us(Picoseconds ps) {
  return fmt::format("{}", static_cast<double>(ps) / 1e6);
}

std::string load_text(const LoadCost& cost) {
  const auto seconds = [](Picoseconds ps) { return static_cast<double>(ps) / 1e12; };
  std::string text = fmt::format("{} s", seconds(cost.typical_ps));
  if (cost.low_ps != cost.high_ps) text += fmt::format(" ({} to {})", seconds(cost.low_ps), seconds(cost.high_ps));
  return text;
}

std::string host_lines(const Host& h) {
  std::string out = h.cpu.empty() ? "" : line("cpu", h.cpu);
  out += line("peak", "{} GFLOP/s (FP32, {} thread{}), memory {} GB/s", giga(h.peak_flops_per_s), h.threads,
              h.threads == 1 ? "" : "s", giga(h.memory_bytes_per_s));
  const auto calls = [&](const char* name, const CallCosts& c) {
    out +=
        line(name,
             fmt::format(
                 "transfer to the card {} us, back {} us; launch {} us, queued {} us; register write {} us, read {} us",
                 us(c.to_card_ps), us(c.to_host_ps), us(c.launch_ps), us(c.launch_pipelined_ps),
                 us(c.register_write_ps), us(c.register_read_ps)));
  };
  calls("opencl", h.opencl);
  calls("xrt", h.xrt);
  out += line("copies", "of unaligned buffers {} GB/s to the card, {} GB/s back; im2col {} GB/s",
              giga(h.copy_to_card_bytes_per_s), giga(h.copy_to_host_bytes_per_s), giga(h.im2col_bytes_per_s));
  out += line("load", "of the card {}, of a region {}", load_text(h.load_card), load_text(h.load_region));
  if (h.matrices) {
    out += line("matrices", "a word into a tile {} ns, out of one {} ns, by col2im {} ns",
                decimal_text(h.matrices->tile_ps, 1000), decimal_text(h.matrices->untile_ps, 1000),
                decimal_text(h.matrices->col2im_ps, 1000));
  }
  if (h.quantiser) {
    out += line("quantiser", "a word into fixed point {} ns, a sum out of it {} ns",
                decimal_text(h.quantiser->quantise_ps, 1000), decimal_text(h.quantiser->dequantise_ps, 1000));
  }
  if (!h.measured.empty()) out += line("measured", "{} operators", h.measured.size());
  if (!h.assumed.empty()) out += line("assumed", join(h.assumed));
  out += fmt::format("\n  {:<16}{:>10}{:>14}{:>10}\n", "operators", "GFLOP/s", "GB/s", "call us");
  for (std::size_t i = 0; i < kOperatorClasses; ++i) {
    const auto kind = static_cast<workloads::OperatorClass>(i);
    if (kind == workloads::OperatorClass::View) continue;
    const OperatorCost& cost = h.operators[i];
    const auto share = [](std::int64_t whole, std::int64_t ppm) {
      return static_cast<double>(whole) / 1e9 * static_cast<double>(ppm) / static_cast<double>(kPpm);
    };
    out += fmt::format("  {:<16}{:>10.2f}{:>14.2f}{:>10}\n", workloads::to_string(kind),
                       share(h.peak_flops_per_s, cost.compute_ppm), share(h.memory_bytes_per_s, cost.memory_ppm),
                       us(cost.fixed_ps));
  }
  return out;
}

std::string layer_text(const conv::Layer& layer) {
  const auto axes = [](int h, int w) { return h == w ? std::to_string(h) : fmt::format("{}x{}", h, w); };
  std::string from = fmt::format("{} x {}x{}", layer.channels, layer.h.size, layer.w.size);
  std::string to = fmt::format("{} x {}x{}", layer.filters, layer.h.out(), layer.w.out());
  if (layer.transposed) std::swap(from, to);
  std::string text = fmt::format("{}: {} -> {}, {}kernel {}", layer.name, from, to,
                                 layer.transposed ? "transposed, " : "", axes(layer.h.kernel, layer.w.kernel));
  if (layer.h.stride != 1 || layer.w.stride != 1) text += " stride " + axes(layer.h.stride, layer.w.stride);
  if (layer.h.dilation != 1 || layer.w.dilation != 1) text += " dilation " + axes(layer.h.dilation, layer.w.dilation);
  if (layer.groups != 1) text += fmt::format(" groups {}", layer.groups);
  return text;
}

std::string workload_lines(const RunConfig& run) {
  std::vector<std::string> kinds;
  for (const conv::Kind kind : run.kinds) kinds.emplace_back(conv::to_string(kind));
  std::string out;
  if (const auto* named = std::get_if<NamedNetwork>(&run.workload)) out += line("network", named->name);
  if (const auto* onnx = std::get_if<OnnxNetwork>(&run.workload)) out += line("network", onnx->path.string());
  if (const auto* inlined = std::get_if<InlineNetwork>(&run.workload)) {
    out += line("network", "{}{} layers given here", inlined->name.empty() ? "" : inlined->name + ", ",
                inlined->layers.size());
    for (const conv::Layer& layer : inlined->layers) out += line("", layer_text(layer));
  }
  if (const auto* one = std::get_if<OneConvolution>(&run.workload)) {
    out += line("conv", "{} of {}", conv::to_string(one->kind), layer_text(one->layer));
    kinds = {conv::to_string(one->kind)};
  }
  out += line("batch", std::to_string(run.batch));
  out += line("kinds", join(kinds) + (run.only.everything() ? "" : fmt::format(", only {}", run.only.pattern())));
  out += line("rung", "{}, {} mode", to_string(run.rung), to_string(run.mode));
  const std::vector<ReadingChoice> used = run.kernel->readings(run.readings), usual = run.kernel->readings({});
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (used[i].value != usual[i].value) out += line("reading", used[i].key + " = " + used[i].value);
  }
  return out;
}

}  // namespace

std::string describe_run(const RunConfig& run) {
  return title("run", run.name, run.title) + workload_lines(run) + "\n" +
         title("kernel", run.kernel->name, run.kernel->title) + kernel_lines(*run.kernel) +
         line("channels", channels_text(run)) + "\n" + title("board", run.board.name, run.board.title) +
         board_lines(run.board);
}

std::string describe_exploration(const dse::Exploration& e) {
  std::string out = title("exploration", e.settings.exploration, e.title);
  for (const auto& [label, text] : e.lines) out += line(label.c_str(), text);
  return out + "\n" + describe_run(e.run);
}

std::string describe_training(const train::TrainConfig& t) {
  std::string out = title("training", t.name, t.title);
  out += line("policy", t.pruning ? "pruning" : t.gm() ? "GM on MuPPET" : "MuPPET");
  std::string levels;
  for (const train::LevelRun& each : t.runs) {
    levels += fmt::format("{}{} on {}", levels.empty() ? "" : "; ", precision::level_name(each.level),
                          each.run.kernel->text().headline);
  }
  out += line("levels", levels);
  std::string switches;
  for (const int epoch : t.rules.switch_epochs) switches += fmt::format("{}{}", switches.empty() ? "" : ", ", epoch);
  if (t.pruning) out += line("pruning", fmt::format("from epoch {} of {}", t.pruning->dense_epochs, t.pruning->epochs));
  if (!t.pruning)
    out += line("switches", t.diversities.empty() ? "at epochs " + switches : "by " + t.diversities.string());
  if (t.gm()) out += line("errors", t.errors.string());
  out += line("hours of", t.counted == train::Counted::Iteration ? "whole iterations" : "the convolutions alone");
  return out + (t.pruning ? "\npruned: " : "\nin FP32: ") + describe_run(t.whole_run());
}

std::string describe_validation(const validate::ValidateConfig& v) {
  std::string out = title("validation", v.name, v.title);
  out += line("error", "({} - {}) / {}, of the cycles of a convolution", validate::to_string(v.model),
              validate::to_string(v.against), validate::to_string(v.against));
  std::string kernels;
  for (const validate::KernelRun& kernel : v.kernels) kernels += (kernels.empty() ? "" : ", ") + kernel.label;
  out += line("kernels", kernels);
  out += line("baseline", v.baseline.empty() ? "none" : v.baseline.string());
  if (v.limits) {
    out += line("limits", "sums of cycles within {}%, each convolution within {}%", v.limits->total,
                v.limits->convolution);
  }
  return out + "\non the first kernel: " + describe_run(v.kernels.front().run);
}

std::string describe_cluster(const cluster::Cluster& cluster) {
  std::string out = title("cluster", cluster.name, cluster.title) + "\n";
  const auto add = [&](const char* head, const std::string& text) { out += fmt::format("{:<14}{}\n", head, text); };
  add("network", cluster.network);
  add("boards", cluster.head().boards_text() + ", a chain");
  for (const auto& [label, text] : cluster.lines()) add(label, text);
  if (!cluster.assumed.empty()) add("assumed", join(cluster.assumed));
  return out;
}

std::string describe_link_validation(const validate::LinkValidation& v) {
  std::string out = title("validation", v.name, v.title);
  out += line("link", "of board {}, called by {} of host {}", v.board.name, config::to_string(v.calls), v.host.name);
  out += line("measured", "{} sizes, to card and to host, within {}% ({})", v.measured.size(),
              v.measured_tolerance_percent, v.measured_source);
  out += line("beside", "{} times, within {}% ({})", v.beside.size(), v.beside_tolerance_percent, v.beside_source);
  return out + line("form", "closed form of {} sizes each way, within {}% of the simulation", v.closed_form.size(),
                    v.closed_form_tolerance_percent);
}

std::string describe_board(const Board& board) {
  return title("board", board.name, board.title) + board_lines(board);
}

std::string describe_host(const Host& host) {
  return title("host", host.name, host.title) + host_lines(host);
}

std::string describe_network(const training::TrainedNetwork& trained) {
  const workloads::Network& network = trained.network;
  const auto [macs, products, parameters] = training::size_of(trained);
  std::map<std::string, int> host;  // operators by type
  for (const workloads::HostLayer& layer : network.host_layers) ++host[layer.op];
  std::vector<std::string> types;
  types.reserve(host.size());
  for (const auto& [op, count] : host) types.push_back(fmt::format("{} {}", count, op));
  const auto transposed = std::count_if(network.layers.begin(), network.layers.end(),
                                        [](const conv::Layer& layer) { return layer.transposed; });
  std::string out = title("network", network.name, "");
  out += line("layers", "{} convolutions{}, {} fully connected, {} on the host", network.layers.size(),
              transposed == 0 ? "" : fmt::format(" ({} transposed)", transposed), network.fully_connected.size(),
              network.host_layers.size());
  if (!types.empty()) out += line("host", "{}", join(types));
  if (const std::string unknown = workloads::without_price(trained.forward); !unknown.empty()) {
    out += line("no price", "{}", unknown);
  }
  out += line("training", "{} convolutions: F, GI and GW, no GI of the layers that read the input",
              workloads::training_convolutions(network.layers).size());
  out += line("work", "{:.1f} million multiply-accumulates an image, forward{}", static_cast<double>(macs) / 1e6,
              products == 0 ? ""
                            : fmt::format(", and {:.{}f} of products", static_cast<double>(products) / 1e6,
                                          products < 100'000 ? 4 : 1));
  if (parameters > 0) out += line("parameters", "{:.2f} million", static_cast<double>(parameters) / 1e6);
  for (const conv::Layer& layer : network.layers) out += "    " + layer_text(layer) + "\n";
  return out;
}

std::string describe_kernel(const Kernel& kernel) {
  return title("kernel", kernel.name, kernel.title) + kernel_lines(kernel);
}

}  // namespace weft::tools
