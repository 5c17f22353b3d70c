#!/bin/sh
set -eu
cd -- "$(dirname -- "$0")"
# Minutes for a large array: fpgpt_conv_small.stat then says what it takes, fpgpt_conv_small.netlist.v is the netlist.
yosys -q -s synth.ys
