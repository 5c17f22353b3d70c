#pragma once

// Replaces printf in Verilator's runtime (verilated_kernel.cpp).
int weft_verilator_print(const char* format, ...);
