-- Tables for better-card*.sql, from the newest sweep of a file of `weft sweep better-card`: `kernel`, each point on each
-- convolution, with its needs as multiples of the baseline (512 bits a cycle, 3072 DSPs, 1344 BRAM18); `published`, Fig. 5.16.
CREATE TEMP TABLE kernel AS
  SELECT c.layer || ':' || c.kind AS convolution, c.macs, c.seconds, json_extract(p.parameters, '$."kernel.band"') / 16.0 AS bandwidth,
         c.dsp / 9 AS pes, c.dsp / 3072.0 AS dsp, c.bram18 / 1344.0 AS bram
  FROM convolutions c JOIN points p USING (sweep, point)
  WHERE p.status = 'done' AND sweep = (SELECT max(sweep) FROM sweeps);
CREATE TEMP TABLE published (bandwidth, dsp, bram, gops);
INSERT INTO published VALUES (1,1,1,472), (2,4,4,1941), (12,16,128,2633);
