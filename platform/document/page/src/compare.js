// Two runs: what moved.
import {axisX, axisY, barX, dot, gridX, gridY, ruleX, ruleY, text} from "@observablehq/plot";
import {chart, draw, legend, name} from "./chart.js";
import {fitted, short, signedPercent, textWidth, time, unitOfTime} from "./format.js";
import {kindColor, kindLegend} from "./kinds.js";
import {enhanceTables} from "./table.js";

const kMost = 20;
const change = (a, b) => (a === b ? 0 : (b - a) / a);
const signedTime = (seconds) => (seconds < 0 ? "−" : "+") + time(Math.abs(seconds), 3);

export function comparePage(data) {
  const sides = [{side: "A", color: "var(--cloud)"}, {side: "B", color: "var(--accent)"}];
  chart("totals", {
    name: "Time of the iteration in A and in B, by kind and in all",
    before: [legend([{name: "A", color: sides[0].color, note: data.a}, {name: "B", color: sides[1].color, note: data.b}])],
    render(width) {
      const bars = data.totals.flatMap((total) => [{name: total.name, side: "A", v: total.a}, {name: total.name, side: "B", v: total.b}]);
      const [size, unit] = unitOfTime(Math.max(...bars.map(({v}) => v)));
      const note = ({a, b}) => signedPercent(change(a, b), 1);
      const right = Math.ceil(Math.max(...data.totals.map((total) => textWidth(note(total), 12, 600)))) + 12;
      const left = Math.ceil(Math.max(...data.totals.map((total) => textWidth(total.name)))) + 10;
      const svg = draw({
        width, height: 48 * data.totals.length + 48, marginLeft: left, marginRight: right, marginTop: 4, marginBottom: 40,
        x: {label: unit, grid: true, ticks: Math.max(2, (width - left - right) / 90), nice: true}, y: {domain: data.totals.map((total) => total.name), label: null, tickSize: 0, padding: 0},
        marks: [
          ...sides.map(({side, color}, at) => barX(bars.filter((bar) => bar.side === side), {x: ({v}) => v / size, y: "name", fill: color, insetTop: at === 0 ? 7 : 24, insetBottom: at === 0 ? 25 : 8, className: `bars-${side}`})),
          text(data.totals, {x: ({a, b}) => Math.max(a, b) / size, y: "name", text: note, textAnchor: "start", dx: 6, fontWeight: 600}),
          ruleX([0]),
        ],
      });
      for (const {side} of sides) name(svg, `bars-${side}`, data.totals.map((total) => `${total.name}|${side}`));
      const x = svg.scale("x"), y = svg.scale("y");
      return {svg, points: data.totals.map((total) => ({x: x.apply(0), width: x.apply(Math.max(total.a, total.b) / size) - x.apply(0), y: y.apply(total.name) + 6, height: y.bandwidth - 12, title: total.name, rows: () => [["A", time(total.a)], ["B", time(total.b)], ["change", note(total)]]}))};
    },
  });

  const moved = data.pairs.map((pair) => ({...pair, name: `${pair.layer} ${pair.kind}`, by: pair.b - pair.a})).filter(({by}) => by !== 0).sort((p, q) => Math.abs(q.by) - Math.abs(p.by));
  const rowsOf = (pair) => () => [["A", time(pair.a)], ["B", time(pair.b)], ["change", `${signedTime(pair.b - pair.a)}, ${signedPercent(change(pair.a, pair.b))}`], ["limiter", pair.limiter_a === pair.limiter_b ? pair.limiter_a : `${pair.limiter_a} → ${pair.limiter_b}`]];
  chart("moved", {
    name: "The convolutions that moved most, in time",
    render(width) {
      const most = moved.slice(0, kMost);
      if (most.length === 0) return {svg: draw({width, height: 40, marks: [text(["Nothing moved."], {frameAnchor: "left", text: (d) => d})]}), points: []};
      const [size, unit] = unitOfTime(Math.abs(most[0].by));
      const notes = most.map((pair) => `${signedTime(pair.by)} · ${signedPercent(change(pair.a, pair.b), 1)}`);
      const low = Math.min(0, ...most.map(({by}) => by)) / size, high = Math.max(0, ...most.map(({by}) => by)) / size;
      const svg = draw({
        width, height: 42 * most.length + 48, marginLeft: 8, marginRight: 8, marginTop: 4, marginBottom: 40,
        x: {domain: [low, high], label: `${unit}, B − A`, grid: true, ticks: Math.max(2, width / 110)}, y: {domain: most.map((_, at) => at), axis: null, padding: 0},
        marks: [
          barX(most, {x1: 0, x2: ({by}) => by / size, y: (_, at) => at, fill: ({by}) => (by < 0 ? "var(--useful)" : "var(--starved-1)"), insetTop: 21, insetBottom: 5, className: "bars"}),
          text(most, {frameAnchor: "left", y: (_, at) => at, text: (pair, at) => fitted(pair.name, width - 40 - textWidth(notes[at])), textAnchor: "start", dx: 4, dy: -8}),
          text(most, {frameAnchor: "right", y: (_, at) => at, text: (_, at) => notes[at], textAnchor: "end", dx: -5, dy: -8, fill: "var(--dim)"}),
          ruleX([0], {stroke: "var(--fg)"}),
        ],
      });
      name(svg, "bars", most.map((pair) => pair.name));
      const x = svg.scale("x"), y = svg.scale("y");
      return {svg, points: most.map((pair, at) => { const end = x.apply(pair.by / size), zero = x.apply(0); return {x: Math.min(end, zero), width: Math.abs(end - zero), y: y.apply(at) + 21, height: y.bandwidth - 26, title: pair.name, rows: rowsOf(pair)}; })};
    },
  });

  chart("ratios", {
    name: "Time of B over time of A for every convolution, by its time in A",
    before: [kindLegend(data.kinds)],
    render(width) {
      const points = data.pairs.map((pair) => ({...pair, ratio: pair.b / pair.a}));
      const ratios = points.map(({ratio}) => ratio), times = points.map(({a}) => a);
      const low = Math.min(0.9, ...ratios) / 1.1, high = Math.max(1.1, ...ratios) * 1.1;
      const shown = (seconds) => time(seconds, 2);
      const svg = draw({
        width, height: Math.max(300, Math.min(420, width * 0.42)), marginLeft: 52, marginRight: 14, marginTop: 20, marginBottom: 42,
        x: {type: "log", domain: [Math.min(...times) / 1.3, Math.max(...times) * 1.3], label: "time in A"}, y: {type: "log", domain: [low, high], label: "time of B over that of A"},
        marks: [
          gridX({ticks: width / 110}), gridY({ticks: 6}), axisX({ticks: width / 110, tickFormat: shown}), axisY({ticks: 6, tickFormat: (v) => `×${short(v)}`}),
          ruleY([1], {stroke: "var(--fg)"}),
          dot(points, {x: "a", y: "ratio", r: 4, fill: ({kind}) => kindColor(data.kinds, kind), fillOpacity: 0.35, stroke: ({kind}) => kindColor(data.kinds, kind), strokeWidth: 1.3, className: "dots"}),
        ],
      });
      name(svg, "dots", points.map((pair) => `${pair.layer} ${pair.kind}`));
      const x = svg.scale("x"), y = svg.scale("y");
      return {svg, points: points.map((pair) => ({x: x.apply(pair.a), y: y.apply(pair.ratio), title: `${pair.layer} ${pair.kind}`, rows: rowsOf(pair)}))};
    },
  });
  enhanceTables();
}
