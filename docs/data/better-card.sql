-- The best kernel for each convolution on a card, from the rows of `weft sweep better-card`: bandwidth, DSPs and BRAM18 as
-- multiples of 512 bits a cycle, 3072 and 1344 (docs/how-to/sweep.md).
WITH card(bandwidth, dsp, bram) AS (VALUES (1,1,1),(2,1,1),(1,4,1),(1,1,4),(2,4,4),(4,4,4),(8,16,16),(16,16,128)),
best AS (
  SELECT bandwidth, card.dsp AS dsp, bram, c.layer, c.kind, c.macs, min(c.seconds) AS seconds
  FROM card JOIN convolutions c ON c.dsp <= card.dsp * 3072 AND c.bram18 <= card.bram * 1344
       JOIN points p USING (sweep, point)
  WHERE json_extract(p.parameters, '$."kernel.band"') <= card.bandwidth * 16 AND sweep = (SELECT max(sweep) FROM sweeps)
  GROUP BY 1, 2, 3, c.layer, c.kind)
SELECT bandwidth, dsp, bram, count(*) AS convolutions, round(2e-9 * sum(macs) / sum(seconds), 1) AS gops FROM best GROUP BY 1, 2, 3;
