#include "tools/schema/schema.h"

namespace weft::tools::schema {

namespace {

Json level() {
  return object("a level that the policy may choose, lowest first",
                {{"level", text("fp32, or fxp and its bits")},
                 {"kernel", text("its array, clock and profile")},
                 {"convolution_seconds", number("s", "the convolutions of an iteration, all in this level")},
                 {"epochs", integer("epochs", "epochs in which MuPPET is in it")},
                 {"hours", number("h", "of these epochs")}});
}

Json setup() {
  return object("levels of all convolutions that the course comes to, and what an iteration takes in them",
                {{"cycles", integer("cycles", "of its convolutions")},
                 {"convolution_seconds", number("s", "of its convolutions, one behind the other")},
                 {"iteration_seconds", number("s", "of host, link, loads and kernels (weft timeline)"), false},
                 {"kernel_seconds", number("s", "of it: while kernels run"), false},
                 {"host_seconds", number("s", "of it: while only the host computes"), false},
                 {"loads", integer("loads", "of bitstreams, in an iteration that follows an equal one"), false},
                 {"bitstreams", integer("bitstreams", "distinct ones"), false},
                 {"load_seconds", number("s", "what a load takes"), false},
                 {"levels", list("of each convolution, in the order of `convolutions`", text("a level"))}});
}

Json epoch() {
  return object("an epoch",
                {{"epoch", integer("1", "its number, from 0")},
                 {"level", text("of MuPPET")},
                 {"learning_rate", number("1", "of what the training began with")},
                 {"diversity", number("1", "of the gradients, where one was asked for"), false},
                 {"threshold", number("1", "that the largest diversity over this one violates above it"), false},
                 {"violations", integer("violations", "in this level so far"), false},
                 {"stretches", list("its iterations, in order",
                                    object("iterations in the same levels",
                                           {{"iterations", integer("iterations", "how many")},
                                            {"setup", integer("1", "a place in `setups`, from 0")},
                                            {"lowered", integer("convolutions", "below MuPPET's level")}}))},
                 {"loads", integer("loads", "of bitstreams")},
                 {"hours", number("h", "of this epoch")}});
}

}  // namespace

Json train() {
  const Json convolution = text("layer and kind: conv1:F");
  return object(
      "a training under a precision policy (weft train)",
      {{"schema", integer("version", "version of this form; it grows when a key changes its meaning or goes")},
       {"weft_version", text("the version of weft that wrote it")},
       {"training", text("name of the training")},
       {"policy", text("muppet, or gm on top of it")},
       {"network", text("name of the network")},
       {"board", text("name of the board")},
       {"batch", integer("images", "images of an iteration")},
       {"rung", text("what counted the cycles: analytical, systemc or exact")},
       {"time", text("what the hours are of: iteration or convolutions")},
       {"iterations_per_epoch", integer("iterations", "images of the data set over the batch, rounded up")},
       {"epochs_in_all", integer("epochs", "of the training")},
       {"hours", number("h", "of the training")},
       {"fp32_alone", object("the same network in FP32 from the first epoch to the last",
                             {{"epochs", integer("epochs", "how many")}, {"hours", number("h", "what they take")}})},
       {"speedup", number("1", "hours of FP32 alone over those of the training")},
       {"loads", integer("loads", "of bitstreams in all; 0 where there is no timeline")},
       {"levels", list("the levels", level())},
       {"switches", list("of MuPPET", object("a switch", {{"epoch", integer("1", "the first epoch in the new level")},
                                                          {"level", text("the new level")}}))},
       {"convolutions",
        list("in the order of the graph",
             object("a convolution",
                    {{"convolution", convolution}, {"seconds", names("by level", number("s", "of an iteration"))}}))},
       {"for_80_percent", list("the fewest with 80 % of what the lowest level gains over fp32", convolution)},
       {"accelerated", list("those that GM may lower", convolution), false},
       {"setups", list("distinct levels of all convolutions; the first is FP32 alone", setup())},
       {"epochs", list("the course", epoch())},
       {"published", list("figures of others beside those here",
                          object("a figure", {{"of", text("what it is: speedup, hours, fp32_hours or "
                                                          "convolutions_for_80_percent")},
                                              {"value", number("1", "as published")},
                                              {"here", number("1", "what comes out")},
                                              {"source", text("where it stands")},
                                              {"why", text("why the two differ"), false}}))},
       {"unused_lines", integer("lines", "of the traces: of epochs in which nothing is asked for")}});
}

}  // namespace weft::tools::schema
