#pragma once

namespace weft::test {

// A short run on the exact rung: a layer with a stride, one in groups, and one that differs from another by name alone.
inline constexpr const char* kThreeLayers = R"(
name: three
board: u250
kernel: {extends: fpgpt-8x8-hls, array: {x: 5, y: 3}}
network:
  layers:
    - {name: a, channels: 3, h: 11, w: 9, filters: 7, kernel: 5, stride: 2, pad: 2}
    - {name: b, channels: 4, h: 6, w: 5, filters: 8, groups: 2, kernel: 3, pad: 1}
    - {name: c, channels: 4, h: 6, w: 5, filters: 8, groups: 2, kernel: 3, pad: 1}
batch: 2
rung: exact
gi_first: true
)";

}  // namespace weft::test
