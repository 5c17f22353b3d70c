#!/bin/sh
set -eu
cd -- "$(dirname -- "$0")"
# Takes minutes for a large array. Writes the cells used to fpgpt_conv_small.stat and the netlist to fpgpt_conv_small.netlist.v.
yosys -q -s synth.ys
