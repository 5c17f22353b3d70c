# Draws docs/data/imbalance.svg from docs/data/imbalance.csv (docs/explanation/batchlane.md): F, mean and standard deviation by channel buffers.
function x(i) { return 70 + i * 110 }
function y(v) { return 340 - 1.45 * v }
BEGIN {
  FS = ","; places = split("1 2 4 8 unlimited", place, " "); for (i = 1; i <= places; ++i) at[place[i]] = i - 1
  layers = split("features.3 features.6 features.8 features.11 features.13", layer, " ")
  split("conv2 conv3_1 conv3_2 conv4_1 conv4_2", name, " "); split("#1b6ca8 #2a9d5c #c77d0a #b23a48 #6b4fa0", colour, " ")
}
$2 == "F" { mean[$1, $3] = $5; sd[$1, $3] = $6 }
END {
  print "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"700\" height=\"400\" font-family=\"sans-serif\" font-size=\"12\">"
  print "<rect width=\"700\" height=\"400\" fill=\"white\"/>"
  for (v = 0; v <= 200; v += 50) {
    printf "<line x1=\"70\" y1=\"%.1f\" x2=\"520\" y2=\"%.1f\" stroke=\"#ddd\"/><text x=\"62\" y=\"%.1f\" text-anchor=\"end\">%d %%</text>\n", y(v), y(v), y(v) + 4, v
  }
  for (i = 1; i <= places; ++i) printf "<text x=\"%d\" y=\"362\" text-anchor=\"middle\">%s</text>\n", x(i - 1), place[i]
  print "<text x=\"290\" y=\"388\" text-anchor=\"middle\">channel buffers (ahead)</text>"
  print "<text x=\"70\" y=\"24\">cycles beyond evenly shared kernels, F, random masks</text>"
  for (l = 1; l <= layers; ++l) {
    points = ""
    for (i = 1; i <= places; ++i) {
      m = mean[layer[l], place[i]]; s = sd[layer[l], place[i]]; points = points sprintf("%d,%.1f ", x(i - 1), y(m))
      printf "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"3\"/>\n", x(i - 1), y(m - s), x(i - 1), y(m + s), colour[l]
    }
    printf "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\"/>\n", points, colour[l]
    printf "<text x=\"560\" y=\"%d\" fill=\"%s\">%s</text>\n", 60 + 20 * l, colour[l], name[l]
  }
  print "</svg>"
}
