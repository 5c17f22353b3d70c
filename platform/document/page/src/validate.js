// A validation: how wrong the model is, and where.
import {barX, dot, link, ruleX, stackX, text} from "@observablehq/plot";
import {chart, draw, legend, name} from "./chart.js";
import {percent, signedPercent, textWidth, value, whole} from "./format.js";
import {colorOf, kindColor, kindLegend, spread} from "./kinds.js";
import {enhanceTables} from "./table.js";

const digitsFor = (span) => (span < 0.004 ? 3 : span < 0.1 ? 1 : 0);
const tickOf = (span) => (v) => (Math.abs(v) < 1e-12 ? "0" : signedPercent(v, digitsFor(span)));

export function validatePage(data) {
  const kinds = Object.keys(data.statistics);
  const published = kinds.filter((kind) => data.statistics[kind].published_percent);
  chart("kinds", {
    name: "Error of every convolution, by kind, with mean and standard deviation",
    before: [kindLegend(kinds)],
    render(width) {
      const intervals = kinds.flatMap((kind) => {
        const of = data.statistics[kind], p = of.published_percent;
        const own = {kind, label: "measured", mean: of.mean, sd: of.sd, dy: 26};
        return p ? [own, {kind, label: "published", mean: p.mean / 100, sd: p.sd / 100, dy: 42}] : [own];
      });
      const ends = [...data.rows.map(({error}) => error), ...intervals.flatMap(({mean, sd}) => [mean - sd, mean + sd]), 0];
      const low = Math.min(...ends), high = Math.max(...ends), room = Math.max(1e-6, high - low) * 0.04;
      // The note of an interval stands behind it, or before it where there is more room.
      const pixels = (share) => (share / (high - low + 2 * room)) * (width - left - 12) - 8;
      const behind = ({mean, sd}) => pixels(high + room - mean - sd), ahead = ({mean, sd}) => pixels(mean - sd - low + room);
      const isBefore = (each) => behind(each) < ahead(each) && behind(each) < textWidth(`${each.label} ${signedPercent(each.mean)}`, 11);
      const noteOf = (each) => {
        const words = `${each.label} ${signedPercent(each.mean)}`, most = Math.max(behind(each), ahead(each));
        return textWidth(words, 11) < most ? words : textWidth(each.label, 11) < most ? each.label : "";
      };
      const band = published.length > 0 ? 112 : 92, left = 34;
      const svg = draw({
        width, height: band * kinds.length + 48, marginLeft: left, marginRight: 12, marginTop: 4, marginBottom: 42,
        x: {domain: [low - room, high + room], label: `(${data.rungs.model} − ${data.rungs.against}) / ${data.rungs.against}`, tickFormat: tickOf(high - low), ticks: Math.max(3, width / 110), grid: true},
        y: {domain: kinds, label: null, tickSize: 0, padding: 0.5}, r: {type: "identity"},
        marks: [
          ruleX([0], {stroke: "var(--fg)"}),
          ...[26, 42].flatMap((dy) => { const at = intervals.filter((each) => each.dy === dy); return [
            link(at, {x1: ({mean, sd}) => mean - sd, x2: ({mean, sd}) => mean + sd, y: "kind", dy, stroke: dy === 26 ? "var(--fg)" : "var(--dim)", strokeWidth: 2, strokeDasharray: dy === 26 ? null : "4,3"}),
            dot(at, {x: "mean", y: "kind", dy, symbol: "diamond", r: 5, fill: dy === 26 ? "var(--fg)" : "var(--bg)", stroke: dy === 26 ? "var(--fg)" : "var(--dim)"}),
            ...[false, true].map((before) => text(at.filter((each) => isBefore(each) === before), {x: ({mean, sd}) => (before ? mean - sd : mean + sd), y: "kind", dy, dx: before ? -6 : 6, textAnchor: before ? "end" : "start", text: noteOf, fontSize: 11, fill: "var(--dim)", stroke: "var(--bg)", strokeWidth: 3}))]; }),
          dot(data.rows, {x: "error", y: "kind", dy: -14, r: 4, fill: ({kind}) => kindColor(kinds, kind), fillOpacity: 0.35, stroke: ({kind}) => kindColor(kinds, kind), strokeWidth: 1.2, className: "dots"}),
        ],
      });
      spread(svg, "dots", data.rows.map((_, i) => i), 34);
      name(svg, "dots", data.rows.map((row) => `${row.layer} ${row.kind} ${row.kernel}`));
      const x = svg.scale("x"), y = svg.scale("y");
      return {svg, points: data.rows.map((row, i) => ({x: x.apply(row.error), y: y.apply(row.kind) + y.bandwidth / 2 - 14 + spread.of(i, 34), title: `${row.layer} ${row.kind}, ${row.kernel}`,
        rows: () => [["error", signedPercent(row.error, 3)], [data.rungs.model, `${whole(row.model)} cycles`], [data.rungs.against, `${whole(row.against)} cycles`], ["why", row.reason]]}))};
    },
  });

  const parts = ["work", "blocked", "starved", "idle"];
  const colors = ["var(--useful)", "var(--blocked-1)", "var(--starved-1)", "var(--idle)"];
  chart("causes", {
    name: "What the blocks that differ most do with the cycles of the difference, by kind and block",
    before: [legend(parts.map((part, i) => ({name: part === "work" ? "more work" : part, color: colors[i]})))],
    render(width) {
      const groups = new Map();
      for (const row of data.rows) {
        const key = `${row.kind} ${row.cause.block}`;
        const group = groups.get(key) ?? {key, kind: row.kind, count: 0, sums: parts.map(() => 0)};
        ++group.count;
        parts.forEach((part, i) => (group.sums[i] += row.cause[part] / row.against));
        groups.set(key, group);
      }
      const rows = [...groups.values()].sort((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind) || b.count - a.count);
      const bars = rows.flatMap(({key, count, sums}) => sums.map((all, i) => ({key, part: parts[i], v: all / count, color: colors[i]}))).filter(({v}) => v !== 0);
      const svg = draw({
        width, height: 44 * rows.length + 48, marginLeft: 24, marginRight: 24, marginTop: 4, marginBottom: 42,
        x: {label: "mean share of the cycles", tickFormat: (v) => percent(v, Math.max(...bars.map((bar) => Math.abs(bar.v)), 0) < 0.02 ? 2 : 0), ticks: Math.max(3, width / 110), grid: true}, y: {domain: rows.map(({key}) => key), axis: null, padding: 0},
        marks: [
          barX(bars, stackX({x: "v", y: "key", fill: "color", order: null, insetTop: 21, insetBottom: 6, className: "bars"})),
          text(rows, {frameAnchor: "left", y: "key", text: ({key, count}) => `${key} · ${count} convolution${count === 1 ? "" : "s"}`, textAnchor: "start", dx: 4, dy: -9}),
          ruleX([0], {stroke: "var(--fg)"}),
        ],
      });
      name(svg, "bars", bars.map(({key, part}) => `${key}|${part}`));
      const x = svg.scale("x"), y = svg.scale("y");
      return {svg, points: rows.map(({key, count, sums}) => { const plus = sums.filter((v) => v > 0).reduce((a, b) => a + b, 0) / count, minus = sums.filter((v) => v < 0).reduce((a, b) => a + b, 0) / count;
        return {x: x.apply(minus), width: Math.max(1, x.apply(plus) - x.apply(minus)), y: y.apply(key) + 21, height: y.bandwidth - 27, title: key, rows: () => [["convolutions", whole(count)], ...parts.map((part, i) => [part === "work" ? "more work" : part, percent(sums[i] / count, 3)])]}; })};
    },
  });
  enhanceTables();
}

export function linkPage(data) {
  const groups = [...new Set(data.rows.map((row) => row.held_to))];
  const rows = data.rows.map((row, i) => ({...row, i, error: row.error_percent / 100, allowed: row.tolerance_percent / 100, title: `${row.what}, ${row.direction}, ${whole(row.bytes)} bytes`}));
  chart("errors", {
    name: "Error of every figure, and what is allowed",
    before: [legend(groups.map((group, i) => ({name: group, color: colorOf(i)})))],
    render(width) {
      const most = Math.max(...rows.map(({error, allowed}) => Math.max(Math.abs(error), allowed)));
      const wide = width >= 700, band = wide ? 22 : 38, left = wide ? Math.ceil(Math.max(...rows.map(({title}) => textWidth(title)))) + 12 : 24;
      const svg = draw({
        width, height: band * rows.length + 48, marginLeft: left, marginRight: 24, marginTop: 4, marginBottom: 42,
        x: {domain: [-most * 1.05, most * 1.05], label: "(model − reference) / reference", tickFormat: tickOf(2 * most), ticks: Math.max(3, width / 130), grid: true}, y: {domain: rows.map(({i}) => i), axis: null, padding: 0.5},
        marks: [
          link(rows, {x1: ({allowed}) => -allowed, x2: ({allowed}) => allowed, y: "i", dy: wide ? 0 : 8, stroke: "var(--rule)", strokeWidth: 7, strokeLinecap: "round", className: "allowed"}),
          ruleX([0], {stroke: "var(--fg)"}),
          dot(rows, {x: "error", y: "i", dy: wide ? 0 : 8, r: 5, fill: ({held_to}) => colorOf(groups.indexOf(held_to)), stroke: ({holds}) => (holds ? "var(--bg)" : "var(--bad)"), strokeWidth: ({holds}) => (holds ? 1 : 3), className: "dots"}),
          wide ? text(rows, {frameAnchor: "left", y: "i", dx: -10, textAnchor: "end", text: "title"}) : text(rows, {frameAnchor: "left", y: "i", dy: -9, textAnchor: "start", text: "title"}),
        ],
      });
      name(svg, "dots", rows.map(({i}) => String(i)));
      const x = svg.scale("x"), y = svg.scale("y");
      return {svg, points: rows.map((row) => ({x: x.apply(row.error), y: y.apply(row.i) + y.bandwidth / 2 + (wide ? 0 : 8), title: row.title, rows: () => [["error", signedPercent(row.error, 3)], ["allowed", percent(row.allowed)], ["model", `${value(row.model)} ${row.unit}`], ["reference", `${value(row.reference)} ${row.unit}`], ["held to", row.held_to]]}))};
    },
  });
  enhanceTables();
}
