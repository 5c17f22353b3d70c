// fstapi.c and its decompressors, as Verilator compiles them (verilated_fst_c.cpp); exempt from weft's warnings.
// NOLINTBEGIN(bugprone-suspicious-include): as Verilator does
#define FST_CONFIG_INCLUDE "fst_config.h"
#include "gtkwave/fstapi.c"

#include "gtkwave/fastlz.c"
#include "gtkwave/lz4.c"
// NOLINTEND(bugprone-suspicious-include)
