-- The Pareto points of Fig. 5.16b and c, from the rows of `weft sweep better-card`: each card that all convolutions fit, such that
-- no smaller one is as fast: GOPS by bandwidth. As in the figure, the bandwidth grows at most as the BRAM18s do
-- (docs/published/fpgpt.md). Run it after better-card-best.sql.
CREATE TEMP TABLE rate AS
  WITH bandwidths(bandwidth) AS (VALUES (1), (2), (4), (8), (16)), dsps(dsp) AS (VALUES (1), (2), (4), (8), (16)),
  brams(bram) AS (VALUES (1), (2), (4), (8), (16), (32), (64), (128)),
  best AS (
    SELECT b.bandwidth, d.dsp, m.bram, k.macs, min(k.seconds) AS seconds
    FROM bandwidths b JOIN dsps d JOIN brams m JOIN kernel k ON k.bandwidth <= b.bandwidth AND k.dsp <= d.dsp AND k.bram <= m.bram
    WHERE b.bandwidth <= m.bram GROUP BY 1, 2, 3, k.convolution)
  SELECT bandwidth, dsp, bram, 2e-9 * sum(macs) / sum(seconds) AS gops FROM best GROUP BY 1, 2, 3 HAVING count(*) = 14;
CREATE TEMP TABLE pareto AS
  SELECT * FROM rate r
  WHERE NOT EXISTS (
    SELECT * FROM rate o WHERE o.bandwidth <= r.bandwidth AND o.dsp <= r.dsp AND o.bram <= r.bram AND o.gops >= r.gops
      AND (o.bandwidth < r.bandwidth OR o.dsp < r.dsp OR o.bram < r.bram));
