# Training by the published table of DeePhi's accelerator and by a run with gi_first as CSV, layer by layer
# (docs/explanation/batchlane.md). Arguments: the table, the run. The table has no line for NG of conv1: it is the total of its column,
# 10,988 us, less the lines.
BEGIN { FS = ","; split("F GI GW", kinds, " "); name["F"] = "FF"; name["GI"] = "NG"; name["GW"] = "WG" }
FNR == 1 { ++file; delete at; for (i = 1; i <= NF; ++i) at[$i] = i; next }
file == 1 {
  rows[++n] = $1; gop[$1] = $at["dense_GOP"]
  for (k in name) { us[$1, k] = $at["table_" name[k] "_us"]; sum[k] += us[$1, k] }
  next
}
{ if (!($1 in row)) row[$1] = rows[++m]; ours[row[$1], $2] = 1e6 * $at["seconds"] }
function line(layer, work, ff, ng, wg, theirs, mine) {
  printf "%-8s %7.3f %+9.0f %+9.0f %+9.0f %9.0f %9.0f %9.1f %9.1f\n", layer, work, ff, ng, wg, theirs, mine, 1e6 * work / theirs,
         1e6 * work / mine
}
END {
  us["conv1", "GI"] = 10988 - sum["GI"]
  printf "%-8s %7s %9s %9s %9s %9s %9s %9s %9s\n", "layer", "GOP", "FF us", "NG us", "WG us", "slides us", "ours us", "slides", "ours GOP/s"
  for (r = 1; r <= n; ++r) {
    l = rows[r]; theirs = mine = 0
    for (i = 1; i <= 3; ++i) {
      k = kinds[i]; d[k] = ours[l, k] - us[l, k]; all[k] += d[k]; theirs += us[l, k]; mine += ours[l, k]
    }
    line(l, 3 * gop[l], d["F"], d["GI"], d["GW"], theirs, mine)
    work += 3 * gop[l]; sum_theirs += theirs; sum_mine += mine
  }
  line("all", work, all["F"], all["GI"], all["GW"], sum_theirs, sum_mine)
}
