#pragma once

namespace weft::tools {

// What a program on the card waits for.
struct HostCosts {
  // The best wall seconds of several: threads of XRT sleep in between.
  double load_seconds = 0;         // of an xclbin
  double convolution_seconds = 0;  // a tiny one: tensors there, arguments, start, wait, tensor back
  // Bytes by processor seconds of the program and the card, which take turns; buffers of 256 MiB, again.
  double to_card_bytes_per_s = 0, to_host_bytes_per_s = 0;
};
// By weft card and a host program that uses XRT, whose packages it installs. Throws Error if it fails.
HostCosts host_costs();

}  // namespace weft::tools
