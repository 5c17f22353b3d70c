# Draws docs/data/better-card.svg (gnuplot 5), the Pareto points of Fig. 5.16 from two sides; docs/published/fpgpt.md has the commands:
#   sqlite3 -csv better-card.db < docs/data/better-card-points.sql > docs/data/better-card.csv && gnuplot docs/data/plot_better_card.gp
set datafile separator ","
set terminal svg size 1000,460 font "sans,12"
set output "docs/data/better-card.svg"
set multiplot layout 1,2
unset key
set grid
set logscale xyz 2
set xrange [1:16]
set yrange [1:128]
set zrange [1:16]
set xlabel "bandwidth"
set ylabel "BRAM18"
set zlabel "DSPs" rotate
set cblabel "GOPS"
set xyplane at 1
do for [angle in "35 125"] {
  set view 65, angle + 0
  set title "seen from ".angle." degrees, multiples of the baseline"
  splot "docs/data/better-card.csv" using 1:3:2:4 with impulses linecolor rgb "#cccccc", \
        "docs/data/better-card.csv" using 1:3:2:4 with points pointtype 7 pointsize .7 palette
}
