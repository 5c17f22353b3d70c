# The published table of DeePhi's accelerator and a run of it as CSV, row by row (docs/explanation/batchlane.md). Arguments: the table, the run.
# Exit code 1 where a row of F or GI but conv1 is off by more than its tolerance: 5 % where PEs bound it, 15 % where memory does.
BEGIN { FS = ","; split("F GI GW", kinds, " "); name["F"] = "FF"; name["GI"] = "NG"; name["GW"] = "WG" }
FNR == 1 { ++file; delete at; for (i = 1; i <= NF; ++i) at[$i] = i; next }
file == 1 { rows[++n] = $1; for (k in name) us[$1, k] = $at["table_" name[k] "_us"]; util[$1] = $at["table_FF_util_pct"]; next }
{ if (!($1 in row)) row[$1] = rows[++m]; ours[row[$1], $2] = 1e6 * $at["seconds"] }
END {
  printf "%-8s %-4s %10s %10s %8s  %s\n", "layer", "pass", "table us", "ours us", "error", "bound"
  for (r = 1; r <= n; ++r) for (i = 1; i <= 3; ++i) {
    l = rows[r]; k = kinds[i]; if (us[l, k] == "" || !((l, k) in ours)) continue
    e = 100 * (ours[l, k] / us[l, k] - 1); limit = util[l] >= 90 ? 5 : 15
    what = k == "GW" || l == "conv1" ? "context" : (limit == 5 ? "PEs" : "memory") ", within " limit " %"
    bad = what != "context" && (e > limit || e < -limit); failed += bad
    printf "%-8s %-4s %10.0f %10.1f %+7.1f%%  %s%s\n", l, name[k], us[l, k], ours[l, k], e, what, bad ? ": NO" : ""
  }
  exit failed > 0
}
