# Of a run of Barista <16, 16, 64> as CSV: the bytes of Eq. 4.3, and those that its ports moved (docs/explanation/barista.md).
function up(a, b) { return int((a + b - 1) / b) }
NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next }
{ k = $at["kernel_h"] * $at["kernel_w"]; d = $at["filters"] / $at["groups"]; m = $at["channels"] / $at["groups"] * k
  h = int(($at["height"] + $at["pad_top"] + $at["pad_bottom"] - $at["kernel_h"]) / $at["stride_h"]) + 1
  w = int(($at["width"] + $at["pad_left"] + $at["pad_right"] - $at["kernel_w"]) / $at["stride_w"]) + 1
  r = d; p = m; c = h * w
  if ($at["kind"] == "GI") { r = m; p = d } else if ($at["kind"] == "GW") { p = h * w; c = m }
  eq += $at["groups"] * 4 * up(r, 16) * up(c, 16) * (32 * p + 256)
  read += 64 * ($at["a_beats"] + $at["b_beats"] + $at["c_beats"]) }
END { printf "%d bytes by Eq. 4.3, %d moved: x%.2f\n", eq, read, read / eq }
