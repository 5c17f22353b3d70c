#include "tools/schema/schema.h"
#include "tools/timeline/report.h"

namespace weft::tools::schema {

namespace {

using Keys = std::vector<Key>;

Json where() {
  Keys keys;
  for (const TimelinePart& part : kTimelineParts) {
    keys.push_back({part.name, integer("ps", part.meaning), !of_some_kernels(part.activity)});
  }
  keys.push_back({"idle", integer("ps", "nothing of these")});
  return object("what the iteration's time goes to; what runs at once counts as the first of these", keys);
}

Json busy_share() {
  Keys keys;
  for (std::size_t i = 0; i < timeline::kResources; ++i) {
    keys.push_back({timeline::to_string(static_cast<timeline::Resource>(i)), number("1", "share of the iteration")});
  }
  return object("how much of the iteration each of them is busy", keys);
}

Json schedule() {
  return names("how the iteration was put on host, link and card: the run's `schedule` (docs/timeline.md)",
               text("the key's value"),
               {{"kernels",
                 object("the kernels that run the convolutions, where an exploration gives them",
                        {{"dse", text("the exploration, or its result")},
                         {"own", flag("each convolution on its own best kernel"), false},
                         {"penalty_percent", number("%", "kernels are shared within this much more time"), false}}),
                 false}});
}

Json loads() {
  return object("loads of bitstreams in an iteration",
                {{"count", integer("loads", "how many")},
                 {"in_order_of_graph", integer("loads", "how many in the order of the graph")},
                 {"at_least", integer("loads", "how many every order has")},
                 {"seconds_each", number("s", "what one takes")},
                 {"seconds_low", number("s", "the least that one may take, by the host's file")},
                 {"seconds_high", number("s", "the most")},
                 {"hours_per_epoch_low", number("h", "an epoch if one takes the least")},
                 {"hours_per_epoch_high", number("h", "an epoch if one takes the most")}});
}

Json published() {
  return object("what is published about this iteration, where the run names it",
                {{"hours_per_epoch", number("h", "an epoch"), false},
                 {"conv_gops", number("GOPS", "of the convolutions while kernels run"), false},
                 {"gops", number("GOPS", "of the convolutions over the iteration"), false},
                 {"source", text("where"), false},
                 {"assumed", list("what had to be assumed of it", text("an assumption")), false}});
}

Json step() {
  return object("a step", {{"operator", text("the operator that it is, or that it serves")},
                           {"number", integer("1", "of the operator, as weft show NETWORK --training numbers them")},
                           {"direction", text("of the operator: forward, backward or update")},
                           {"class", text("of the operator")},
                           {"activity", text("what is done")},
                           {"resource", text("what is busy with it")},
                           {"start_ps", integer("ps", "its start, from that of the iteration")},
                           {"end_ps", integer("ps", "its end")},
                           {"what", text("tensor of a transfer, kernel of a load"), false},
                           {"bytes", integer("bytes", "moved over the link, or written by im2col"), false},
                           {"kernel", integer("1", "of a load or a convolution: the number of its kernel"), false},
                           {"memory_channel",
                            integer("1", "of data on the link: the number of the card's memory channel"), false},
                           {"priced_by", text("of an operator of the host: how its time is known"), false}});
}

}  // namespace

Json timeline() {
  const Json assumed = text("a key of it");
  return object(
      "a training iteration (weft timeline)",
      {{"schema", integer("version", "version of this form; it grows when a key changes its meaning or goes")},
       {"weft_version", text("the version of weft that wrote it")},
       {"run", text("name of the run")},
       {"network", text("name of the network")},
       {"board", text("name of the board")},
       {"host", text("name of the host")},
       {"batch", integer("images", "images of an iteration")},
       {"rung", text("what counted the cycles: analytical, systemc or exact")},
       {"iteration_ps", integer("ps", "a whole training iteration")},
       {"iteration_seconds", number("s", "the same in seconds")},
       {"iterations_per_epoch", integer("iterations", "images of the data set over the batch, rounded up")},
       {"hours_per_epoch", number("h", "of training: host, link, loads and kernels")},
       {"conv_gops", number("GOPS", "1e9 operations a second of the convolutions while kernels run")},
       {"gops", number("GOPS", "1e9 operations a second of the convolutions over the iteration")},
       {"schedule", schedule()},
       {"where_ps", where()},
       {"busy_share", busy_share()},
       {"kernels", integer("kernels", "distinct kernels")},
       {"loads", loads()},
       {"launches", integer("launches", "kernel launches of an iteration")},
       {"calls", integer("calls", "calls of the host's software")},
       {"prefetches", integer("transfers", "transfers that began beside the kernel before")},
       {"bytes_to_card", integer("bytes", "bytes over the link to the card")},
       {"bytes_to_host", integer("bytes", "bytes over the link to the host")},
       {"sent_again",
        object("what loads of the whole card had lost", {{"tensors", integer("tensors", "tensors sent again")},
                                                         {"bytes", integer("bytes", "of them, in all")}})},
       {"channel_peak_bytes",
        list("of each memory channel of the card", integer("bytes", "most that tensors take of it at once"))},
       {"data_path_ps", integer("ps", "the longest chain of operators that need each other, loads left out")},
       {"critical_path", list("the steps that decide the end, in order", integer("1", "a place in `steps`, from 0"))},
       {"published", published(), false},
       {"measured", object("prices of operators of the host that were measured",
                           {{"operators", integer("operators", "operators priced by them")},
                            {"scaled", integer("operators", "of these, scaled from another batch")},
                            {"plain_loops", integer("operators", "of these, run by no library")},
                            {"entries_unused", integer("entries", "entries that no operator has")}})},
       {"notes", list("what to know of the network", text("a note"))},
       {"assumed", object("keys whose values are assumptions and had a part in it",
                          {{"schedule", list("of the run's `schedule`", assumed)},
                           {"host", list("of the host's file", assumed)},
                           {"board", list("of the board's file", assumed)}})},
       {"steps", list("all steps", step())}});
}

}  // namespace weft::tools::schema
