#!/bin/sh
set -eu
cd -- "$(dirname -- "$0")"
# Lints the kernel; `sh verilator.sh build` also builds a C++ library in obj_dir (Vfpgpt_conv_small.h) for your own bench.
verilator --lint-only -Wall --assert -f files.f --top-module fpgpt_conv_small
if [ "${1-}" = build ]; then
  verilator --cc --build -O3 -Wall --assert -f files.f --top-module fpgpt_conv_small --Mdir obj_dir
fi
