-- The Pareto points, one a line, for plot_better_card.gp.
.read docs/data/better-card-best.sql
.read docs/data/better-card-pareto.sql
SELECT bandwidth, dsp, bram, round(gops, 1) FROM pareto ORDER BY gops;
