#include "model/fpgpt/analytical/readings.h"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace weft::fpgpt {

namespace {

using namespace reading;

// Profile switch that a reading follows, and the alternative for the switch being on.
template <class Enum>
struct Follows {
  bool Profile::*profile_switch = nullptr;
  Enum on{};
};

template <auto kMember, class Enum = std::decay_t<decltype(std::declval<Readings>().*kMember)>>
ReadingDescriptor describe(const char* key, const char* finding, const char* equations,
                           const AlternativeNames<Enum>& names, Follows<Enum> follows = {}) {
  ReadingDescriptor descriptor{reading_of<Readings, kMember>(key, names), finding, equations, follows.profile_switch,
                               static_cast<int>(follows.on)};
  if (follows.profile_switch) descriptor.unset = "auto";
  return descriptor;
}

}  // namespace

const std::vector<ReadingDescriptor>& reading_table() {
  static const std::vector<ReadingDescriptor> table{
      describe<&Readings::burst>("burst", "F1, F2", "A.1-A.3, A.22-A.24",
                                 {{Burst::Fixed, "fixed"},
                                  {Burst::Printed, "printed"},
                                  {Burst::Split, "split"},
                                  {Burst::Ideal, "ideal"},
                                  {Burst::Exact, "exact"}},
                                 {&Profile::exact_bursts, Burst::Exact}),
      describe<&Readings::decode>("decode", "F5", "A.7-A.8",
                                  {{Decode::Beats, "beats"}, {Decode::Words, "words"}, {Decode::Printed, "printed"}}),
      describe<&Readings::construct>(
          "construct", "F6", "A.10-A.11",
          {{Construct::Streamed, "streamed"}, {Construct::Printed, "printed"}, {Construct::Groups, "groups"}}),
      describe<&Readings::inp_groups>("inp_groups", "F8", "A.6, A.8, A.12",
                                      {{InpGroups::NKern, "n_kern"}, {InpGroups::COut, "c_out"}}),
      describe<&Readings::products>("products", "F4", "5.6-5.8, A.13, A.19, A.29",
                                    {{Products::Dilated, "dilated"}, {Products::Stored, "stored"}}),
      describe<&Readings::sa_groups>("sa_groups", "F3", "5.7",
                                     {{SaGroups::Whole, "whole"}, {SaGroups::Printed, "printed"}}),
      describe<&Readings::drain>("drain", "F3", "5.6, 5.8, A.19, A.30",
                                 {{Drain::PerGroup, "per_group"}, {Drain::Hidden, "hidden"}},
                                 {&Profile::overlap_drain, Drain::Hidden}),
      describe<&Readings::k_range>("k_range", "F9", "A.22-A.27",
                                   {{KRange::Tensor, "tensor"}, {KRange::Group, "group"}}),
      describe<&Readings::kern_load>("kern_load", "ours", "A.15, A.18",
                                     {{KernLoad::Words, "words"}, {KernLoad::Beats, "beats"}},
                                     {&Profile::wide_kern_load, KernLoad::Beats}),
      describe<&Readings::kern_fill>("kern_fill", "F13", "A.21",
                                     {{KernFill::Serial, "serial"}, {KernFill::Overlapped, "overlapped"}},
                                     {&Profile::early_kern_feed, KernFill::Overlapped}),
      describe<&Readings::gw_drain>(
          "gw_drain", "F11", "A.30",
          {{GwDrain::Once, "once"}, {GwDrain::Printed, "printed"}, {GwDrain::PerSet, "per_set"}}),
      describe<&Readings::gw_sets>("gw_sets", "ours", "A.29",
                                   {{GwSets::Aligned, "aligned"}, {GwSets::Packed, "packed"}},
                                   {&Profile::packed_gw_sets, GwSets::Packed}),
      describe<&Readings::gw_feed>("gw_feed", "F10", "A.33",
                                   {{GwFeed::AllGroups, "all_groups"}, {GwFeed::Printed, "printed"}}),
      describe<&Readings::out_construct>("out_construct", "F14", "A.35-A.38",
                                         {{OutConstruct::NOut, "n_out"}, {OutConstruct::COut, "c_out"}}),
      describe<&Readings::out_write>("out_write", "F19", "A.44",
                                     {{OutWrite::Beats, "beats"}, {OutWrite::Aligned, "aligned"}}),
      describe<&Readings::interfaces>("interfaces", "F20", "5.3.5, A.6, A.14, A.25",
                                      {{Interfaces::Single, "single"}, {Interfaces::Doubled, "doubled"}}),
      describe<&Readings::total>("total", "F5", "5.9-5.13", {{Total::All, "all"}, {Total::Printed, "printed"}}),
      describe<&Readings::inp_align>("inp_align", "F16", "5.14",
                                     {{InpAlign::ToTwoZ, "to_2z"}, {InpAlign::ToZ, "to_z"}}),
      describe<&Readings::inp_banks>("inp_banks", "F16", "5.18",
                                     {{InpBanks::Printed, "printed"}, {InpBanks::ZBanks, "z_banks"}}),
      describe<&Readings::kern_storage>("kern_storage", "F9", "5.15, 5.19",
                                        {{KernStorage::Printed, "printed"}, {KernStorage::Buffer, "buffer"}}),
      describe<&Readings::out_storage>("out_storage", "F15", "5.16, 5.20, A.3.3",
                                       {{OutStorage::Group, "group"}, {OutStorage::Tensor, "tensor"}}),
      describe<&Readings::out_word>("out_word", "ours", "A.34-A.44, 5.16, 5.20",
                                    {{OutWord::Sums, "32"}, {OutWord::Wl, "wl"}}),
      describe<&Readings::resources>("resources", "F16, F17", "5.14-5.22",
                                     {{Resources::Thesis, "thesis"}, {Resources::Synthesis, "synthesis"}}),
  };
  return table;
}

bool operator==(const Readings& a, const Readings& b) {
  return std::all_of(reading_table().begin(), reading_table().end(),
                     [&](const ReadingDescriptor& descriptor) { return descriptor.get(a) == descriptor.get(b); });
}

Readings readings_of(const Profile& profile) {
  Readings readings;
  for (const ReadingDescriptor& each : reading_table()) {
    if (each.profile_switch && profile.*each.profile_switch) each.set(readings, each.switched_on);
  }
  return readings;
}

std::vector<const char*> unknown_switches(const Profile& profile, const Readings& readings) {
  std::vector<const char*> unknown;
  for (const ProfileSwitch& each : kProfileSwitches) {
    if (!(profile.*each.on)) continue;
    const bool known =
        std::any_of(reading_table().begin(), reading_table().end(), [&](const ReadingDescriptor& reading) {
          return reading.profile_switch == each.on && reading.get(readings) == reading.switched_on;
        });
    if (!known) unknown.push_back(each.name);
  }
  return unknown;
}

}  // namespace weft::fpgpt
