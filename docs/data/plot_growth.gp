# Draws docs/data/growth.svg from the points that `./weft bench --growth --format csv` prints (gnuplot 5):
#   ./weft bench --growth --format csv > docs/data/growth.csv && gnuplot docs/data/plot_growth.gp
set datafile separator ","
set terminal svg size 1200,840 font "sans,12"
set output "docs/data/growth.svg"
set multiplot layout 2,3
set key samplen 1
set format x "10^{%T}"
set grid
set logscale xy
set ylabel "processor seconds"
of(series, name) = sprintf("< awk -F, '$1==\"%s\" && $2==\"%s\"' docs/data/growth.csv", series, name)

set key right bottom
set title "with the batch, 16 x 16 PEs"
set xlabel "images"
plot for [name in "inception3b.branch2.1.conv:F inception3b.branch2.1.conv:GW inception5b.branch1.conv:F inception5b.branch1.conv:GW"] \
  of("batch", name) using 5:9 with linespoints title name noenhanced

set title "with the groups: depthwise, 14 x 14, batch 64"
set xlabel "groups"
plot for [name in "depthwise:F depthwise:GI depthwise:GW"] of("groups", name) using 4:9 with linespoints title name

set title "with their number: F, GW of GoogLeNet, batch 64"
set xlabel "convolutions"
plot "< awk -F, '$1==\"layer\" {sum+=$9; print ++count \",\" sum}' docs/data/growth.csv" using 1:2 with lines title "each by itself", \
     "< awk -F, '$1==\"convolutions\"' docs/data/growth.csv" using 3:9 with linespoints title "after each other in one worker"

set key left top
set title "with the layer: GoogLeNet, batch 64"
set xlabel "kernel cycles"
plot "< awk -F, '$1==\"layer\" && $2 ~ /:F$/' docs/data/growth.csv" using 8:9 with points title "F", \
     "< awk -F, '$1==\"layer\" && $2 ~ /:GW$/' docs/data/growth.csv" using 8:9 with points title "GW"

set key left bottom
set title "with the array, batch 64"
set xlabel "PEs"
plot for [name in "inception3b.branch2.1.conv:F inception3b.branch2.1.conv:GW"] \
  of("array", name) using ($6*$7):9 with linespoints title name noenhanced
unset multiplot
