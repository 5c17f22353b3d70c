# Runs of VGG-11 with random masks as CSV, one after the other, each after a line "ahead <n>" (docs/explanation/batchlane.md): how much longer a convolution takes
# than its kept kernels shared evenly by all 1024 MACs, in per cent, mean and standard deviation over the masks.
BEGIN { FS = ","; print "layer,kind,ahead,masks,mean_percent,sd_percent" }
/^ahead / { split($0, word, " "); ahead = word[2]; next }
$1 == "layer" { for (i = 1; i <= NF; ++i) at[$i] = i; next }
{ key = $1 "," $2 "," ahead; if (!(key in n)) keys[++count] = key
  excess = 100 * ($at["cycles"] / ($at["macs"] / 1024) - 1); ++n[key]; sum[key] += excess; square[key] += excess * excess }
END { for (i = 1; i <= count; ++i) { k = keys[i]; mean = sum[k] / n[k]; v = (square[k] - n[k] * mean * mean) / (n[k] > 1 ? n[k] - 1 : 1)
  printf "%s,%d,%.1f,%.1f\n", k, n[k], mean, sqrt(v > 0 ? v : 0) } }
