-- GOPS of the three cards of Fig. 5.16 under readings of its TOPS, from the rows of `weft sweep better-card` in this file (bursts of
-- fixed length) and, attached, with readings.burst=ideal. The first is 1, 1, 2: with 1344 BRAM18 five convolutions have no kernel.
-- `ten times`: the factor by which Tables 5.6 and 5.7 differ, or a clock of 1 GHz.
.read docs/data/better-card-best.sql
ATTACH 'better-card-ideal.db' AS ideal;
CREATE TEMP TABLE either AS
  SELECT 'fixed' AS burst, convolution, macs, seconds, bandwidth, pes, bram FROM kernel
  UNION ALL
  SELECT 'ideal', c.layer || ':' || c.kind, c.macs, c.seconds, json_extract(p.parameters, '$."kernel.band"') / 16.0, c.dsp / 9, c.bram18 / 1344.0
  FROM ideal.convolutions c JOIN ideal.points p USING (sweep, point) WHERE p.status = 'done' AND sweep = (SELECT max(sweep) FROM ideal.sweeps);
CREATE TEMP TABLE rate AS
  WITH card(name, bandwidth, dsp, bram) AS (VALUES ('base',1,1,2), ('second',2,4,4), ('third',12,16,128)), pe(dsp_a_pe) AS (VALUES (9), (3), (1)),
  best AS (
    SELECT card.name, burst, dsp_a_pe, macs, min(seconds) AS seconds
    FROM card JOIN pe JOIN either k ON k.bandwidth <= card.bandwidth AND k.pes * dsp_a_pe <= card.dsp * 3072 AND k.bram <= card.bram
    GROUP BY 1, 2, 3, k.convolution)
  SELECT name, burst, dsp_a_pe, 2e-9 * sum(macs) / sum(seconds) AS gops, avg(2e-9 * macs / seconds) AS mean, max(2e-9 * macs / seconds) AS fastest
  FROM best GROUP BY 1, 2, 3;
CREATE TEMP TABLE reading (number, reading, card, gops);
INSERT INTO reading SELECT 1, 'convolutions over their time', name, gops FROM rate WHERE burst = 'fixed' AND dsp_a_pe = 9;
INSERT INTO reading SELECT 2, 'mean of the convolutions', name, mean FROM rate WHERE burst = 'fixed' AND dsp_a_pe = 9;
INSERT INTO reading SELECT 3, 'fastest convolution', name, fastest FROM rate WHERE burst = 'fixed' AND dsp_a_pe = 9;
INSERT INTO reading SELECT 4, 'ideal bursts, over their time', name, gops FROM rate WHERE burst = 'ideal' AND dsp_a_pe = 9;
INSERT INTO reading SELECT 5, 'ideal bursts, mean', name, mean FROM rate WHERE burst = 'ideal' AND dsp_a_pe = 9;
INSERT INTO reading SELECT 6, 'ideal bursts, fastest', name, fastest FROM rate WHERE burst = 'ideal' AND dsp_a_pe = 9;
INSERT INTO reading SELECT 7, 'ideal bursts, over their time, 3 DSPs a PE', name, gops FROM rate WHERE burst = 'ideal' AND dsp_a_pe = 3;
INSERT INTO reading SELECT 8, 'ideal bursts, over their time, 1 DSP a PE', name, gops FROM rate WHERE burst = 'ideal' AND dsp_a_pe = 1;
INSERT INTO reading SELECT 9, 'ideal bursts, over their time, ten times', name, 10 * gops FROM rate WHERE burst = 'ideal' AND dsp_a_pe = 9;
INSERT INTO reading SELECT 10, 'ideal bursts, mean, ten times', name, 10 * mean FROM rate WHERE burst = 'ideal' AND dsp_a_pe = 9;
INSERT INTO reading SELECT 11, 'ideal bursts, fastest, ten times', name, 10 * fastest FROM rate WHERE burst = 'ideal' AND dsp_a_pe = 9;
WITH card(name, dsp) AS (VALUES ('base', 1), ('second', 4), ('third', 16)), pe(number, dsp_a_pe) AS (VALUES (12, 9), (13, 3), (14, 1))
INSERT INTO reading SELECT number, 'peak of the PEs, DSPs a PE: ' || dsp_a_pe, name, 2 * (dsp * 3072 / dsp_a_pe) * .1 FROM card JOIN pe;
INSERT INTO reading VALUES (15, 'published', 'base', 472.0), (15, 'published', 'second', 1941.0), (15, 'published', 'third', 2633.0);
SELECT reading, round(base, 1) AS "1x 1x 2x", round(second, 1) AS "2x 4x 4x", round(third, 1) AS "12x 16x 128x",
       round(second / base, 2) AS ratio, round(third / base, 2) AS " ratio"
FROM (SELECT number, reading, max(gops) FILTER (WHERE card = 'base') AS base, max(gops) FILTER (WHERE card = 'second') AS second,
             max(gops) FILTER (WHERE card = 'third') AS third FROM reading GROUP BY 1, 2) ORDER BY number;
