#include "platform/designs/fpgpt/design.h"

#include <fmt/core.h>

#include <array>
#include <utility>

#include "platform/design/kernel_changes.h"
#include "platform/designs/fpgpt/kernel_config.h"
#include "platform/designs/fpgpt/work.h"

namespace weft::fpgpt {

namespace {

design::ResultFields in_results() {
  return {{{"profile", "TEXT", "", "implementation profile: hls, rtl, or the switches that are on"},
           {"format", "TEXT", "", "number format of the operands, if not fp32"},
           {"packing", "TEXT", "", "layout of words narrower than 32 bits in memory: packed or padded"}},
          {{"z", "INTEGER", "words", "words handed to the line buffer in a cycle"},
           {"z_channel", "INTEGER", "words", "words of one channel in half the line buffer"},
           {"k_range", "INTEGER", "words", "KERN words of one GW pass"},
           {"kern_words", "INTEGER", "words", "KERN memory, words"},
           {"out_words", "INTEGER", "words", "OUT memory, words"}},
          {{"x", "INTEGER", "PEs", "columns of the array"},
           {"y", "INTEGER", "PEs", "rows of the array"},
           {"variant", "TEXT", "", "convolutions that the kernel can run: fgi, gw or both"}},
          {{"z", "INTEGER", "words", "words handed to the line buffer in a cycle, by the equations"},
           {"z_channel", "INTEGER", "words", "words of one channel in half the line buffer, by the equations"}},
          {{"total", "INTEGER", "cycles", "of all terms, as analytical_cycles"},
           {"m", "INTEGER", "products", "products of an output, zeros of dilation included, by the equations"},
           {"limiter", "TEXT", "", "of the total, as analytical_limiter"}}};
}

// Meaning of a profile's switches, in the order of kProfileSwitches (CONTRACT.md, section 2).
constexpr std::array<const char*, 5> kSwitchMeanings{
    "reads only the beats needed, not Gamma_Burst of them", "the next Y-group starts while the last one drains",
    "KERN of F and GI is stored at a beat a cycle, not at a word",
    "KERN of F and GI is fed as soon as its words are there", "X-sets of GW start max(M, Y, F) cycles apart"};
static_assert(kSwitchMeanings.size() == std::size(kProfileSwitches));

design::Counterfactual of_switch(const ProfileSwitch& each, const char* meaning) {
  return design::of_kernel<KernelConfig>(each.name, meaning, [on = each.on](KernelConfig& kernel) {
    const bool has_it = std::exchange(kernel.profile.*on, true);
    return std::string(has_it ? "the profile has it" : "");
  });
}

// Change of the kernel's sizes or array, which has no effect if `schedule.kernels` gives others.
template <class Change>
design::Counterfactual of_sizes(const char* name, const char* meaning, Change change) {
  design::Counterfactual of = design::of_kernel<KernelConfig>(name, meaning, change);
  of.sizes = true;
  return of;
}

// One size for all convolutions in place of `auto`, and perhaps one variant.
design::Counterfactual shared_sizes(const char* name, const char* meaning, VariantChoice variant) {
  return of_sizes(name, meaning, [variant](KernelConfig& kernel) {
    const KernelConfig before = kernel;
    for_each_size([&](const char*, auto size, auto) {
      if ((kernel.*size).fit == Size::Fit::Auto) (kernel.*size).fit = Size::Fit::Shared;
    });
    if (kernel.variant == VariantChoice::Auto) kernel.variant = variant;
    bool changed = kernel.variant != before.variant;
    for_each_size([&](const char*, auto size, auto) { changed = changed || !(kernel.*size == before.*size); });
    return std::string(changed ? "" : "the kernel's sizes and variant are fixed");
  });
}

design::Counterfactual in_uram(const char* name, const char* meaning, Storage KernelConfig::*storage) {
  return of_sizes(name, meaning, [storage](KernelConfig& kernel) {
    const bool there = std::exchange(kernel.*storage, Storage::URAM) == Storage::URAM;
    return std::string(there ? "it is in URAM" : "");
  });
}

design::Counterfactual smaller_y() {
  design::Counterfactual change = of_sizes("smaller_y", "half the rows of the array", [](KernelConfig& kernel) {
    if (kernel.y % 2 != 0) return fmt::format("{} rows have no half", kernel.y);
    kernel.y /= 2;
    return std::string();
  });
  change.again = true;
  return change;
}

design::Counterfactual fixed_point(const char* name, const char* meaning, int bits) {
  design::Counterfactual change = design::of_kernel<KernelConfig>(name, meaning, [bits](KernelConfig& kernel) {
    if (kernel.format.is_fixed() && kernel.format.bits <= bits)
      return fmt::format("it has {}", to_string(kernel.format));
    kernel.format = NumberFormat::fixed(bits);
    return std::string();
  });
  change.use = design::Counterfactual::Use::Question;
  change.caveat = "changes the numbers of the training";
  return change;
}

class Fpgpt : public design::DesignOf<KernelConfig, plan_work> {
 public:
  Fpgpt() : DesignOf(fpgpt::topology(), Block::Array, in_results()) {}
  std::string resource_source(const config::RunConfig& run) const override {
    return readings_of(run).resources == reading::Resources::Synthesis ? "the RTL's synthesis" : "Eqs. 5.14-5.22";
  }
  design::EquationsNote equations_note(const config::RunConfig& run) const override {
    const Profile& profile = KernelConfig::of(run).profile;
    const Readings readings = readings_of(run);
    design::EquationsNote note;
    for (const ReadingDescriptor& each : reading_table()) {
      if (!each.profile_switch || !(profile.*each.profile_switch)) continue;
      note.followed.push_back({each.key, each.chosen(readings), {}});
    }
    for (const config::ReadingChoice& each : all_readings(profile, KernelConfig::of(run).format, run.readings)) {
      note.readings.push_back({each.key, find_reading(reading_table(), each.key)->chosen(readings), {}});
    }
    for (const char* name : unknown_switches(profile, readings)) {
      note.unknown.push_back(std::string("kernel.profile.") + name);
    }
    note.unknown.insert(note.unknown.end(), {"memory.*", "kernel.ports.*", "kernel.fifo.*"});
    if (!note.followed.empty()) note.kernel = "profile " + profile_text(profile);
    note.needed = !(profile == Profile::hls());
    return note;
  }
  std::vector<design::Counterfactual> counterfactuals(const config::RunConfig&) const override {
    std::vector<design::Counterfactual> all;
    for (std::size_t i = 0; i < kSwitchMeanings.size(); ++i) {
      all.push_back(of_switch(kProfileSwitches[i], kSwitchMeanings.at(i)));
    }
    all.insert(
        all.end(),
        {design::wider_ports<KernelConfig>(), design::more_bursts<KernelConfig>(), design::deeper_fifos<KernelConfig>(),
         shared_sizes("one_kernel", "one kernel for all convolutions (sizes shared, variant both): no loads in between",
                      VariantChoice::Both),
         shared_sizes("shared_sizes", "sizes shared by all convolutions of a variant", VariantChoice::Auto),
         design::larger("larger_x", "twice the columns of the array", &KernelConfig::x, config::kIntMax),
         design::larger("larger_y", "twice the rows of the array", &KernelConfig::y, config::kIntMax), smaller_y(),
         in_uram("inp_in_uram", "the line buffers of INP in URAM", &KernelConfig::inp_storage),
         in_uram("kern_in_uram", "the memories of KERN in URAM", &KernelConfig::kern_storage),
         in_uram("out_in_uram", "the memories of OUT in URAM", &KernelConfig::out_storage), design::faster_ddr(),
         design::faster_clock(), fixed_point("fxp16", "numbers of 16 bits, fixed point (kernel.format)", 16),
         fixed_point("fxp8", "numbers of 8 bits, fixed point (kernel.format)", 8), design::ideal_memory()});
    return all;
  }
  // GW loads KERN by another feeder, which ignores two of the switches; packed_gw_sets spaces sets in GW only
  // (Plan::spacing). The ratio to the kernel's clock matters only for a DRAM.
  config::RunConfig as_seen_by(const config::RunConfig& run, conv::Kind kind) const override {
    KernelConfig kernel = KernelConfig::of(run);
    if (kind == conv::Kind::GW) {
      kernel.profile.wide_kern_load = kernel.profile.early_kern_feed = false;
    } else {
      kernel.profile.packed_gw_sets = false;
    }
    if (std::holds_alternative<config::IdealMemory>(run.board.memory)) kernel.clock = 1;
    kernel.split_by = Split::None;  // the launches are part of the identity of units
    return with_kernel(run, kernel);
  }
  std::vector<std::string> remarks(const config::RunConfig& run, const std::vector<design::Row>& rows) const override {
    if (KernelConfig::of(run).split_by == Split::None) return {};
    std::int64_t count = 0;
    const design::Row* first = nullptr;
    for (const design::Row& row : rows) {
      if (fits(row.resources)) continue;
      if (++count == 1) first = &row;
    }
    if (!first) return {};
    return {fmt::format("kernel.split_by: the board does not hold one Y-group of KERN of {}{}: no number of parts fits",
                        first->layer.name + ":" + conv::to_string(first->kind),
                        count > 1 ? fmt::format(" and of {} others", count - 1) : "")};
  }
  const weft::dse::Explorer* explorer() const override { return &exploration::explorer(); }
  std::unique_ptr<design::CardKernels> card_kernels(const design::CardOptions& options) const override {
    return fpgpt::card_kernels(options);
  }
  std::vector<design::KernelArgument> card_arguments(const config::Kernel& kernel) const override {
    return fpgpt::card_arguments(dynamic_cast<const KernelConfig&>(kernel).format);
  }
  config::KernelPtr card_kernel_of(const config::RunConfig& run, const design::Row& row) const override {
    return std::make_shared<KernelConfig>(with_alpha(KernelConfig::of(run), alpha_of_row(run, row)));
  }
};

}  // namespace

const design::Design& design() {
  static const Fpgpt fpgpt;
  return fpgpt;
}

}  // namespace weft::fpgpt
