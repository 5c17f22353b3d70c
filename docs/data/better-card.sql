-- The best kernel for each convolution on a card, from the rows of `weft sweep better-card`: bandwidth, DSPs and BRAM18 as
-- multiples of 512 bits a cycle, 3072 and 1344 (docs/how-to/sweep.md). Ratios: to the first card that all convolutions fit,
-- and of Fig. 5.16 to its baseline.
.read docs/data/better-card-best.sql
WITH card(bandwidth, dsp, bram) AS
  (VALUES (1,1,1),(1,1,2),(1,1,4),(1,4,1),(2,1,1),(2,4,4),(4,4,4),(8,16,16),(8,16,128),(12,16,128),(16,16,128)),
best AS (
  SELECT card.bandwidth, card.dsp, card.bram, k.macs, min(k.seconds) AS seconds
  FROM card JOIN kernel k ON k.bandwidth <= card.bandwidth AND k.dsp <= card.dsp AND k.bram <= card.bram
  GROUP BY 1, 2, 3, k.convolution),
rate AS (SELECT bandwidth, dsp, bram, count(*) AS convolutions, 2e-9 * sum(macs) / sum(seconds) AS gops FROM best GROUP BY 1, 2, 3),
base AS (SELECT gops FROM rate WHERE convolutions = 14 ORDER BY bandwidth, dsp, bram LIMIT 1)
SELECT r.bandwidth, r.dsp, r.bram, r.convolutions, round(r.gops, 1) AS gops,
       CASE WHEN r.convolutions = 14 THEN round(r.gops / base.gops, 2) ELSE '-' END AS ratio,
       coalesce(p.gops, '-') AS published, coalesce(round(p.gops / 472.0, 2), '-') AS its_ratio
FROM rate r JOIN base LEFT JOIN published p USING (bandwidth, dsp, bram) ORDER BY 1, 2, 3;
