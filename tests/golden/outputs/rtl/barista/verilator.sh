#!/bin/sh
set -eu
cd -- "$(dirname -- "$0")"
# Lints the kernel; `sh verilator.sh build` also builds a C++ library in obj_dir (Vbarista_resnet20_barista.h) for your own bench.
verilator --lint-only -Wall --assert -f files.f --top-module barista_resnet20_barista
if [ "${1-}" = build ]; then
  verilator --cc --build -O3 -Wall --assert -f files.f --top-module barista_resnet20_barista --Mdir obj_dir
fi
