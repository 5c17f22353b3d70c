#!/bin/sh
set -eu
cd -- "$(dirname -- "$0")"
# Takes minutes for a large array. Writes the cells used to barista_resnet20_barista.stat and the netlist to barista_resnet20_barista.netlist.v.
yosys -q -s synth.ys
