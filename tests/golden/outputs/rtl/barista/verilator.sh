#!/bin/sh
set -eu
cd -- "$(dirname -- "$0")"
# Lints the kernel; `sh verilator.sh build` also builds a C++ library in obj_dir (Vbarista.h) for your own bench.
verilator --lint-only -Wall --assert -f files.f --top-module barista
echo 'lint: clean'
if [ "${1-}" = build ]; then
  verilator --cc --build -O3 -Wall --assert -f files.f --top-module barista --Mdir obj_dir >build.log
  echo 'build: obj_dir, what it printed: build.log'
fi
