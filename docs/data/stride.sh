#!/usr/bin/env bash
# Prints GB/s of reads by controller, burst and stride as CSV: docs/data/stride.sh > docs/data/stride.csv (docs/reference/memory.md).
set -euo pipefail
trace=$(mktemp)
trap 'rm -f "$trace"' EXIT
echo controller,burst_bytes,stride_bytes,gbytes_per_s
for burst in 64 128 256 512 1024; do
  for ((stride = burst; stride <= 65536; stride *= 2)); do
    awk -v n=$((1 << 20 >> 6)) -v burst=$burst -v stride=$stride -v window=$((1 << 28)) -f docs/data/stride.awk >"$trace"
    for controller in mig frfcfs; do
      rate=$(./weft dram "$trace" --set memory.auto_precharge_a3=true --set memory.controller=$controller --format json |
        awk -F'[ ,]+' '/gbytes_per_second/ {print $3}')
      printf '%s,%d,%d,%.2f\n' $controller $burst $stride "$rate"
    done
  done
done
