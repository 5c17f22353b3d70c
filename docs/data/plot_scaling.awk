# Draws docs/data/scaling.svg from what `./weft plan NAME --format csv` prints for some names (docs/explanation/clusters.md): speed over that of
# one board, a panel for each file, a line for each reading.
function x(panel, boards) { return 60 + panel * 330 + boards * 1.8 }
function y(speed) { return 340 - 1.9 * speed }
BEGIN {
  FS = ","
  split("#1b6ca8 #2a9d5c #c77d0a #b23a48 #6b4fa0 #555555 #0aa5a5 #a0522d #e377c2", colour, " ")
}
FNR == 1 { ++files; file[files] = FILENAME; readings = NF - 1; for (i = 2; i <= NF; ++i) name[i - 1] = $i; next }
FNR == 2 { one = $2 }
{ for (i = 2; i <= NF; ++i) line[files, i - 1] = line[files, i - 1] sprintf("%.1f,%.1f ", x(files - 1, $1), y($i / one)) }
END {
  printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"400\" font-family=\"sans-serif\" font-size=\"12\">\n", 330 * files + 180
  printf "<rect width=\"%d\" height=\"400\" fill=\"white\"/>\n", 330 * files + 180
  for (f = 1; f <= files; ++f) {
    sub(/.*\//, "", file[f]); sub(/\.csv$/, "", file[f])
    printf "<text x=\"%d\" y=\"34\">%s: speed of one board</text>\n", x(f - 1, 0), file[f]
    for (v = 0; v <= 150; v += 50) {
      printf "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#ddd\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%d</text>\n", x(f - 1, 0), y(v), x(f - 1, 150), y(v), x(f - 1, 0) - 6, y(v) + 4, v
      printf "<text x=\"%d\" y=\"358\" text-anchor=\"middle\">%d</text>\n", x(f - 1, v), v
    }
    printf "<text x=\"%d\" y=\"380\" text-anchor=\"middle\">boards</text>\n", x(f - 1, 75)
    for (r = 1; r <= readings; ++r) printf "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\"/>\n", line[f, r], colour[r]
  }
  for (r = 1; r <= readings; ++r) printf "<text x=\"%d\" y=\"%d\" fill=\"%s\">%s</text>\n", 330 * files + 50, 50 + 20 * r, colour[r], name[r]
  print "</svg>"
}
