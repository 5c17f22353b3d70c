# Milliseconds of convolutions in each level, from the JSON of weft train (docs/how-to/train.md). -v of: their names, as a pattern.
/"convolution":/ { split($0, name, "\""); shown = name[4] ~ of }
shown && /"seconds": \{/ { inside = 1; line = ""; next }
inside && /\}/ {
  inside = shown = 0
  if (!(headed++)) printf "%-20s%s\n", "ms an iteration", head
  printf "%-20s%s\n", name[4], line
}
inside {
  split($0, level, "\""); value = $0; sub(/.*: /, "", value); sub(/,/, "", value)
  if (!headed) head = head sprintf("%9s", level[2])
  line = line sprintf("%9.3f", 1000 * value)
}
