#!/bin/sh
set -eu
cd -- "$(dirname -- "$0")"
# Minutes for a large array: barista_resnet20_barista.stat then says what it takes, barista_resnet20_barista.netlist.v is the netlist.
yosys -q -s synth.ys
