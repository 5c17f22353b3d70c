# Draws docs/data/stride.svg (gnuplot 5): docs/data/stride.sh > docs/data/stride.csv && gnuplot docs/data/plot_stride.gp
set datafile separator ","
set terminal svg size 1000,420 font "sans,12"
set output "docs/data/stride.svg"
set multiplot layout 1,2
set key samplen 1 left bottom
set grid
set logscale x 2
set xlabel "stride, bytes"
set ylabel "GB/s of 19.2"
set yrange [0:20]
of(controller, burst) = sprintf("< awk -F, '$1==\"%s\" && $2==%d' docs/data/stride.csv", controller, burst)
do for [controller in "mig frfcfs"] {
  set title "reads, controller ".controller
  plot for [burst in "64 128 256 512 1024"] of(controller, burst + 0) using 3:4 with linespoints title burst." B"
}
