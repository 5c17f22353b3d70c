// A sweep: its front, and all of its parameters at once.
import {axisX, axisY, dot, gridX, gridY, line, link, text} from "@observablehq/plot";
import {chart, choice, draw, element, legend, name} from "./chart.js";
import {fitted, short, textWidth, value, whole} from "./format.js";
import {colorOf} from "./kinds.js";
import {enhanceTables, longTable} from "./table.js";

const kColors = 8; // more values of a parameter than this have no colours of their own

export function sweepPage(data) {
  const count = data.feasible.length;
  const columns = data.columns.map((column, i) => ({...column, values: data.values[i], numeric: data.values[i].every((v) => v === null || typeof v === "number")}));
  const front = new Set(data.front);
  const numeric = columns.map((column, i) => ({...column, i})).filter((column) => column.numeric && column.i > 0);
  if (count > 0 && numeric.length > 0) {
    pareto(data, columns, numeric, front, count);
    parallel(data, columns, front, count);
  }
  longTable("points", "All points", [...columns, {name: "constraints", meaning: "whether the point satisfies them", values: data.feasible.map((ok) => (ok ? "met" : "not met")), numeric: false}], count);
  enhanceTables();
}

// Where a choice of the page starts: the objectives, or what a sweep of everything has.
function defaults(data, numeric) {
  const wanted = [...data.objectives, ...numeric.map(({i}) => i)];
  const at = wanted.filter((i, place) => wanted.indexOf(i) === place && numeric.some((column) => column.i === i));
  return [at[0], at[1] ?? at[0]];
}

function tipRows(data, columns, i) {
  const chosen = [...data.axes, ...data.objectives];
  return [...chosen.map((c) => [columns[c].name, value(columns[c].values[i])]), ["constraints", data.feasible[i] ? "met" : "not met"]];
}

function pareto(data, columns, numeric, front, count) {
  let [x, y] = defaults(data, numeric), by = -1;
  let again = () => {};
  const names = numeric.map((column) => column.name), place = (i) => numeric.findIndex((column) => column.i === i);
  const coloured = data.axes.filter((axis) => new Set(columns[axis].values).size <= kColors);
  const key = element("div");
  const controls = element("div", {className: "controls"},
    choice("Across", names, place(x), (at) => { x = numeric[at].i; again(); }),
    choice("Up", names, place(y), (at) => { y = numeric[at].i; again(); }),
    choice("Colour", ["the Pareto front", ...coloured.map((axis) => columns[axis].name)], 0, (at) => { by = at === 0 ? -1 : coloured[at - 1]; again(); }));
  again = chart("pareto", {
    name: "Points of the sweep, two of their figures against each other",
    before: [controls, key],
    render(width) {
      const xs = columns[x].values, ys = columns[y].values;
      const points = [];
      for (let i = 0; i < count; ++i) if (xs[i] !== null && ys[i] !== null) points.push(i);
      const log = (values) => { const known = points.map((i) => values[i]); const low = known.reduce((a, b) => Math.min(a, b), Infinity), high = known.reduce((a, b) => Math.max(a, b), -Infinity); return low > 0 && high / low > 20; };
      const groups = by < 0 ? [] : [...new Set(columns[by].values)];
      const color = (i) => (by >= 0 ? colorOf(groups.indexOf(columns[by].values[i])) : front.has(i) ? "var(--accent)" : "var(--cloud)");
      key.replaceChildren(legend(by < 0
        ? [{name: "on the front", color: "var(--accent)", note: whole(front.size)}, {name: "beaten, or outside the constraints", color: "var(--cloud)", note: whole(points.length - front.size)}]
        : groups.map((group, at) => ({name: value(group), color: colorOf(at)}))));
      const axis = (values, label) => ({type: log(values) ? "log" : "linear", label, nice: true});
      // The front last, on top.
      const order = [...points.filter((i) => !front.has(i)), ...points.filter((i) => front.has(i))];
      const edge = data.front.filter((i) => xs[i] !== null && ys[i] !== null).sort((a, b) => xs[a] - xs[b] || ys[a] - ys[b]);
      const svg = draw({
        width, height: Math.max(340, Math.min(520, width * 0.5)), marginLeft: 58, marginRight: 16, marginTop: 22, marginBottom: 44,
        x: axis(xs, columns[x].name), y: axis(ys, columns[y].name), r: {type: "identity"},
        marks: [
          gridX({ticks: width / 100}), gridY({ticks: 6}), axisX({ticks: width / 170, tickFormat: short}), axisY({ticks: 6, tickFormat: short}),
          by < 0 ? line(edge, {x: (i) => xs[i], y: (i) => ys[i], stroke: "var(--accent)", strokeOpacity: 0.45}) : null,
          dot(order, {x: (i) => xs[i], y: (i) => ys[i], r: (i) => (front.has(i) ? 5 : count > 2000 ? 2 : 3), fill: color, fillOpacity: (i) => (front.has(i) ? 0.9 : data.feasible[i] ? 0.45 : 0.12), stroke: (i) => (front.has(i) ? "var(--bg)" : "none"), sort: null, className: "dots"}),
        ],
      });
      name(svg, "dots", order.map(String));
      const sx = svg.scale("x"), sy = svg.scale("y");
      return {svg, points: order.map((i) => ({x: sx.apply(xs[i]), y: sy.apply(ys[i]), title: `point ${columns[0].values[i]}${front.has(i) ? ", on the front" : ""}`, rows: () => [...new Map([...tipRows(data, columns, i), [columns[x].name, value(xs[i])], [columns[y].name, value(ys[i])]])]})).reverse()};
    },
  });
}

// One vertical axis a parameter or objective, each from its own least to its own most.
function scaleOf(column) {
  if (!column.numeric) {
    const names = [...new Set(column.values.filter((v) => v !== null))].sort();
    return {at: (v) => (v === null ? null : names.length < 2 ? 0.5 : names.indexOf(v) / (names.length - 1)), ticks: names.map((each) => ({v: each, text: each}))};
  }
  const known = [...new Set(column.values.filter((v) => v !== null))].sort((a, b) => a - b);
  const low = known[0], high = known.at(-1);
  if (!(low < high)) return {at: (v) => (v === null ? null : 0.5), ticks: known.map((v) => ({v, text: short(v)}))};
  const log = low > 0 && high / low > 20;
  const at = (v) => (v === null ? null : log ? Math.log(v / low) / Math.log(high / low) : (v - low) / (high - low));
  const few = known.length <= 6;
  const ticks = few ? known : [0, 0.25, 0.5, 0.75, 1].map((share) => (log ? low * (high / low) ** share : low + share * (high - low)));
  return {at, ticks: ticks.map((v) => ({v, text: Number.isInteger(v) && Math.abs(v) < 1e4 ? String(v) : short(v)}))};
}

function parallel(data, columns, front, count) {
  const chosen = [...new Set([...data.axes, ...data.objectives])].map((i) => ({...columns[i], ...scaleOf(columns[i])})).filter((axis) => axis.ticks.length > 0);
  if (chosen.length < 2) return;
  const kept = chosen.map(() => null); // of an axis, the stretch whose lines stay
  let again = () => {};
  const reset = element("button", {type: "button", textContent: "All lines", disabled: true});
  reset.addEventListener("click", () => {
    kept.fill(null);
    again();
  });
  const shown = element("span", {className: "hint"});
  shown.setAttribute("role", "status");
  const heights = chosen.map((axis) => axis.values.map(axis.at));
  const keeps = (i) => kept.every((range, a) => range === null || (heights[a][i] !== null && heights[a][i] >= range[0] && heights[a][i] <= range[1]));
  let geometry = null;
  again = chart("parallel", {
    name: "Every point as a line over all parameters and objectives",
    before: [element("div", {className: "controls"}, reset, shown)],
    render(width) {
      // Side by side where there is room, else one below the other and the lines downwards.
      const down = width / chosen.length < 92;
      // Room for the texts at the ends.
      const widest = (labels, px, weight) => Math.ceil(Math.max(0, ...labels.map((label) => textWidth(label, px, weight))));
      const ends = widest(chosen.flatMap((axis) => axis.ticks.map((tick) => tick.text)), 11) / 2 + 4;
      const left = down ? ends : Math.max(widest(chosen[0].ticks.map((tick) => tick.text), 11) + 8, widest([chosen[0].name], 12, 600) / 2 + 4);
      const right = down ? ends : Math.max(12, widest([chosen.at(-1).name], 12, 600) / 2 + 4), top = down ? 30 : 34, bottom = down ? 34 : 12;
      const height = down ? chosen.length * 74 + top + bottom : 380;
      const place = (a, share) => (share === null ? [NaN, NaN] : down ? [share, a] : [a, share]);
      const stays = Array.from({length: count}, (_, i) => keeps(i));
      const path = (points) => points.flatMap((i) => [...heights.map((of, a) => place(a, of[i])), [NaN, NaN]]);
      const points = Array.from({length: count}, (_, i) => i);
      const cloud = points.filter((i) => stays[i] && !front.has(i)), best = points.filter((i) => stays[i] && front.has(i));
      const narrowed = kept.some((range) => range !== null);
      reset.disabled = !narrowed;
      shown.textContent = narrowed ? `${whole(cloud.length + best.length)} of ${whole(count)} points, ${whole(best.length)} of them on the front` : "";
      const many = [NaN, NaN];
      const across = {domain: [0, chosen.length - 1], axis: null}, along = {domain: [0, 1], axis: null};
      const bars = chosen.map((_, a) => a);
      const room = down ? width - left - right : (width - left - right) / (chosen.length - 1) - 10;
      const ticks = chosen.flatMap((axis, a) => { // those that do not meet the one before
        let last = -Infinity;
        return axis.ticks.filter(({v, text: label}) => {
          const at = axis.at(v) * (down ? width - left - right : height - top - bottom), need = down ? textWidth(label, 11) + 8 : 13;
          if (at - last < need) return false;
          last = at;
          return true;
        }).map((tick) => ({a, at: axis.at(tick.v), text: tick.text}));
      });
      const svg = draw({
        width, height, marginLeft: left, marginRight: right, marginTop: top, marginBottom: bottom, x: down ? along : across, y: down ? {...across, reverse: true} : along,
        marks: [
          line(cloud.length ? path(cloud) : [many], {x: "0", y: "1", stroke: "var(--cloud)", strokeOpacity: Math.max(0.06, Math.min(0.5, 60 / count)), className: "cloud"}),
          line(best.length ? path(best) : [many], {x: "0", y: "1", stroke: "var(--accent)", strokeOpacity: 0.8, strokeWidth: 1.4, className: "best"}),
          link(bars, {x1: (a) => place(a, 0)[0], y1: (a) => place(a, 0)[1], x2: (a) => place(a, 1)[0], y2: (a) => place(a, 1)[1], stroke: "var(--dim)", strokeWidth: (a) => 1}),
          link(bars.filter((a) => kept[a]), {x1: (a) => place(a, kept[a][0])[0], y1: (a) => place(a, kept[a][0])[1], x2: (a) => place(a, kept[a][1])[0], y2: (a) => place(a, kept[a][1])[1], stroke: "var(--accent)", strokeWidth: 6, strokeOpacity: 0.6}),
          text(ticks, {x: ({a, at}) => place(a, at)[0], y: ({a, at}) => place(a, at)[1], text: "text", fontSize: 11, textAnchor: down ? ({at}) => "middle" : "end", dx: down ? 0 : -5, dy: down ? 11 : 0, stroke: "var(--bg)", strokeWidth: 3, fill: "var(--fg)"}),
          text(bars, {x: (a) => place(a, down ? 0 : 1)[0], y: (a) => place(a, down ? 0 : 1)[1], text: (a) => fitted(chosen[a].name, down ? room : room, 12), dy: down ? -11 : -14, textAnchor: down ? "start" : "middle", fontWeight: 600, stroke: "var(--bg)", strokeWidth: 3, fill: "var(--fg)"}),
        ],
      });
      const sx = svg.scale("x"), sy = svg.scale("y");
      geometry = {down, at: (a, share) => [sx.apply(place(a, share)[0]), sy.apply(place(a, share)[1])]};
      const read = best.length > 0 ? best : cloud.slice(0, 500);
      const last = chosen.length - 1;
      return {svg, points: read.filter((i) => heights[last][i] !== null).map((i) => { const [px, py] = geometry.at(last, heights[last][i]); return {x: px, y: py, title: `point ${columns[0].values[i]}${front.has(i) ? ", on the front" : ""}`, rows: () => tipRows(data, columns, i)}; })};
    },
  });
  const holder = document.querySelector('[data-chart="parallel"] .plot');
  holder.addEventListener("click", (event) => {
    const svg = holder.querySelector("svg"), box = svg.getBoundingClientRect(), k = box.width / (svg.viewBox.baseVal.width || box.width);
    const x = (event.clientX - box.left) / k, y = (event.clientY - box.top) / k;
    chosen.forEach((_, a) => {
      const [x0, y0] = geometry.at(a, 0), [x1, y1] = geometry.at(a, 1);
      if (Math.abs(geometry.down ? y - y0 : x - x0) > 14) return;
      const share = geometry.down ? (x - x0) / (x1 - x0) : (y - y0) / (y1 - y0);
      kept[a] = kept[a] ? null : [Math.max(-0.001, share - 0.1), Math.min(1.001, share + 0.1)];
    });
    again();
  });
}
