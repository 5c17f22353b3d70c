# A trace for weft dram: n bursts of `burst` bytes, `stride` bytes apart, within `window` bytes (docs/reference/memory.md).
BEGIN { for (i = 0; i < n; ++i) for (at = 0; at < burst; at += 64) printf "R 0x%x\n", i * stride % window + at }
