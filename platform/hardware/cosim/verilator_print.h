#pragma once

// In place of printf for Verilator's runtime (verilated_kernel.cpp).
int weft_verilator_print(const char* format, ...);
