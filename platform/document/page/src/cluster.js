// A plan, or a timeline of a cluster: columns and lines, as the page's data describe them.
import {axisX, axisY, gridY, line, rect, ruleX, ruleY} from "@observablehq/plot";
import {chart, draw, legend, name} from "./chart.js";
import {percent, short, textWidth, value} from "./format.js";
import {colorOf} from "./kinds.js";
import {enhanceTables} from "./table.js";

export function clusterPage(data) {
  for (const each of data.charts) (each.form === "columns" ? columns : lines)(each);
  enhanceTables();
}

const formatOf = (share) => (share ? (v) => percent(v, 0) : short);

// As many of them, from the left, as do not lie on each other.
function apart(ticks, place) {
  const kept = [];
  let free = -Infinity;
  for (const tick of ticks) {
    const half = textWidth(tick.text) / 2 + 6, x = place(tick.at);
    if (x - half < free) continue;
    kept.push(tick);
    free = x + half;
  }
  return kept;
}

// {id, name, label, share, groups, ticks: [{at, text}], rule?: {at, name}, rows: [{label, group, value, more: {what: text}}]}
function columns({id, name: what, label, share, groups, ticks, rule, rows}) {
  const format = formatOf(share), color = (row) => colorOf(Math.max(0, groups.indexOf(row.group)));
  const most = Math.max(1e-9, rule?.at ?? 0, ...rows.map((row) => row.value));
  chart(id, {
    name: what,
    before: groups.length > 1 || rule ? [legend([...groups.map((each, i) => ({name: each, color: colorOf(i)})), ...(rule ? [{name: rule.name, color: "var(--cloud)"}] : [])])] : [],
    render(width) {
      const left = 54, right = 30, n = Math.max(rows.length, 1), gap = (width - left - right) / n > 6 ? 1 : 0;
      const shown = apart(ticks, (at) => left + (at / n) * (width - left - right));
      const svg = draw({
        width, height: Math.max(240, Math.min(360, width * 0.36)), marginLeft: left, marginRight: right, marginTop: 24, marginBottom: 40,
        x: {label: null, domain: [0, n]}, y: {label, domain: [0, 1.06 * most]},
        marks: [
          gridY({ticks: 6}), axisX(shown.map(({at}) => at), {tickFormat: (at) => shown.find((tick) => tick.at === at).text, tickSize: 0}), axisY({ticks: 6, tickFormat: format}),
          rect(rows, {x1: (_, i) => i, x2: (_, i) => i + 1, y1: 0, y2: "value", fill: color, insetLeft: gap, insetRight: gap, sort: null, className: "bars"}),
          ...(rule ? [ruleY([rule.at], {stroke: "var(--cloud)", strokeWidth: 2})] : []),
          ruleY([0]),
        ],
      });
      name(svg, "bars", rows.map((row) => row.label));
      const x = svg.scale("x"), y = svg.scale("y");
      return {svg, points: rows.map((row, i) => ({x: x.apply(i), width: x.apply(i + 1) - x.apply(i), y: y.apply(row.value), height: y.apply(0) - y.apply(row.value), title: row.label,
        rows: () => [[row.group || label, share ? percent(row.value) : value(row.value)], ...Object.entries(row.more)]}))};
    },
  });
}

// {id, name, across, label, share, log, marks: [{at, name}], series: [{name, points: [[x, y]]}]}
function lines({id, name: what, across, label, share, log, marks, series}) {
  const points = series.flatMap(({name: of, points: each}, i) => each.map(([x, y]) => ({of, i, x, y})));
  const xs = points.map(({x}) => x), most = Math.max(1e-9, ...points.map(({y}) => y));
  const at = (i) => (i < 8 ? undefined : "5,3"); // colours come again after eight
  chart(id, {
    name: what,
    before: [legend([...(series.length > 1 ? series.map((each, i) => ({name: each.name, color: colorOf(i)})) : []), ...(marks.length > 0 ? [{name: "published", color: "var(--cloud)", note: marks.map((mark) => mark.name).join(", ")}] : [])])],
    render(width) {
      const svg = draw({
        width, height: Math.max(300, Math.min(440, width * 0.45)), marginLeft: 54, marginRight: 20, marginTop: 24, marginBottom: 44,
        x: {label: across, type: log ? "log" : "linear", base: 2, domain: [Math.min(...xs), Math.max(...xs)]}, y: {label, domain: [0, 1.04 * most]},
        marks: [
          gridY({ticks: 6}), axisX({ticks: Math.max(2, width / 90), tickFormat: short}), axisY({ticks: 6, tickFormat: formatOf(share)}),
          ruleX(marks.map((mark) => mark.at), {stroke: "var(--cloud)", strokeWidth: 2}),
          ...series.map((_, i) => line(points.filter((point) => point.i === i), {x: "x", y: "y", stroke: colorOf(i), strokeWidth: 1.8, strokeDasharray: at(i), className: `line-${i}`})),
          ruleY([0]),
        ],
      });
      series.forEach((each, i) => name(svg, `line-${i}`, [each.name]));
      const x = svg.scale("x"), y = svg.scale("y");
      return {svg, points: points.map((point) => ({x: x.apply(point.x), y: y.apply(point.y), title: point.of, rows: () => [[across, value(point.x)], [label, share ? percent(point.y) : value(point.y)]]}))};
    },
  });
}
