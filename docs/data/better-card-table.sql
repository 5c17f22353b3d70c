-- The Pareto points as a table, a column for each bandwidth.
.read docs/data/better-card-best.sql
.read docs/data/better-card-pareto.sql
SELECT dsp, bram, coalesce(max(round(gops, 1)) FILTER (WHERE bandwidth = 1), '') AS '1x', coalesce(max(round(gops, 1)) FILTER (WHERE bandwidth = 2), '') AS '2x',
       coalesce(max(round(gops, 1)) FILTER (WHERE bandwidth = 4), '') AS '4x', coalesce(max(round(gops, 1)) FILTER (WHERE bandwidth = 8), '') AS '8x',
       coalesce(max(round(gops, 1)) FILTER (WHERE bandwidth = 16), '') AS '16x'
FROM pareto GROUP BY dsp, bram ORDER BY dsp, bram;
