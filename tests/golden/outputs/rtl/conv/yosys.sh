#!/bin/sh
set -eu
cd -- "$(dirname -- "$0")"
# Takes minutes for a large array, and prints the step of yosys every ten seconds (`sh yosys.sh 60`: every minute). Writes
# the cells of each module to fpgpt.stat and, as JSON, to fpgpt.stat.json, the netlist to fpgpt.netlist.v; then prints
# the sums of the cells.
every=${1-10}
yosys -q -l yosys.log -s synth.ys &
yosys=$!
seconds=0
while kill -0 "$yosys" 2>/dev/null; do
  sleep 1
  seconds=$((seconds + 1))
  if [ $((seconds % every)) = 0 ]; then
    printf 'yosys: %s s: %s\n' "$seconds" "$(grep -a '^[0-9.]*[.] ' yosys.log | tail -n 1)"
  fi
done
wait "$yosys"
# Cells of the whole kernel, each module as often as it is instantiated. A memory in LUTs counts the LUTs of its slice.
awk '
  BEGIN {
    split("LUT1 1 LUT2 1 LUT3 1 LUT4 1 LUT5 1 LUT6 1 INV 1 SRL16E 1 SRLC32E 1 RAM32X1D 2 RAM64X1D 2 RAM128X1D 4 " \
          "RAM256X1D 8 RAM32M 4 RAM64M 4 RAM32M16 8 RAM64M8 8", luts, " ")
    for (i = 1; i in luts; i += 2) lut[luts[i]] = luts[i + 1]
  }
  /^ *"design"/ { whole = 1 }
  whole && match($0, /"[A-Z0-9]+": *[0-9]+/) {
    split(substr($0, RSTART, RLENGTH), part, /[": ]+/)
    cell = part[2]
    count = part[3]
    if (cell in lut) sum["LUT"] += lut[cell] * count
    else if (cell ~ /^FD[A-Z]E$/) sum["FF"] += count
    else if (cell ~ /^DSP48/) sum["DSP"] += count
    else if (cell ~ /^RAMB18/) sum["BRAM18"] += count
    else if (cell ~ /^RAMB36/) sum["BRAM18"] += 2 * count
    else if (cell ~ /^URAM/) sum["URAM"] += count
    else if (cell ~ /^CARRY/) sum["CARRY"] += count
    else if (cell ~ /^MUXF/) sum["MUXF"] += count
    else other = other " " cell " " count
  }
  END {
    line = "cells of fpgpt:"
    names = split("DSP LUT FF BRAM18 URAM CARRY MUXF", name, " ")
    for (i = 1; i <= names; i++) line = line (i > 1 ? "," : "") " " name[i] " " sum[name[i]] + 0
    print line (other == "" ? "" : "; others:" other)
  }' fpgpt.stat.json
