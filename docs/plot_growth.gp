# Draws docs/growth.svg from the points that `./weft bench --growth --format csv` prints (gnuplot 5):
#   ./weft bench --growth --format csv > docs/growth.csv && gnuplot docs/plot_growth.gp
set datafile separator ","
set terminal svg size 1200,420 font "sans,12"
set output "docs/growth.svg"
set multiplot layout 1,3
set key samplen 1
set format x "10^{%T}"
set grid
set logscale xy

set key right bottom
set title "with the batch, 16 x 16 PEs"
set xlabel "images"
set ylabel "processor seconds"
series(name) = sprintf("< awk -F, '$1==\"batch\" && $2==\"%s\"' docs/growth.csv", name)
plot for [name in "inception3b.branch2.1.conv:F inception3b.branch2.1.conv:GW inception5b.branch1.conv:F inception5b.branch1.conv:GW"] \
  series(name) using 3:7 with linespoints title name noenhanced

set key left top
set title "with the layer: GoogLeNet, batch 64"
set xlabel "kernel cycles"
plot "< awk -F, '$1==\"layer\" && $2 ~ /:F$/' docs/growth.csv" using 6:7 with points title "F", \
     "< awk -F, '$1==\"layer\" && $2 ~ /:GW$/' docs/growth.csv" using 6:7 with points title "GW"

set key left bottom
set title "with the array, batch 64"
set xlabel "PEs"
array_of(name) = sprintf("< awk -F, '$1==\"array\" && $2==\"%s\"' docs/growth.csv", name)
plot for [name in "inception3b.branch2.1.conv:F inception3b.branch2.1.conv:GW"] \
  array_of(name) using ($4*$5):7 with linespoints title name noenhanced
unset multiplot
