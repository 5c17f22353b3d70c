# GW of the published table of DeePhi's accelerator and of runs as CSV, a column each (docs/explanation/batchlane.md). Arguments: the
# table, the runs; a column has the name of its file.
BEGIN { FS = "," }
FNR == 1 { ++file; delete at; for (i = 1; i <= NF; ++i) at[$i] = i; head[file] = FILENAME; m = 0; next }
file == 1 { rows[++n] = $1; us[$1] = $at["table_WG_us"]; next }
$2 == "GW" { ours[rows[++m], file] = 1e6 * $at["seconds"] }
function line(layer, theirs, of) {
  printf "%-8s %9.0f", layer, theirs
  for (f = 2; f <= file; ++f) printf " %9.0f %+6.0f%%", of[f], 100 * (of[f] / theirs - 1)
  printf "\n"
}
END {
  printf "%-8s %9s", "WG, us", "slides"
  for (f = 2; f <= file; ++f) printf " %17s", head[f]
  printf "\n"
  for (r = 1; r <= n; ++r) {
    l = rows[r]; sum += us[l]
    for (f = 2; f <= file; ++f) { of[f] = ours[l, f]; all[f] += of[f] }
    line(l, us[l], of)
  }
  line("all", sum, all)
}
