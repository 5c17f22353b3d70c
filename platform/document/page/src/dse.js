// An exploration: the best kernels, and how few do.
import {axisX, axisY, barX, dot, gridX, gridY, line, ruleX, ruleY, text} from "@observablehq/plot";
import {chart, choice, draw, element, legend, name} from "./chart.js";
import {percent, short, signedPercent, textWidth, value, whole} from "./format.js";
import {kindColor, kindLegend} from "./kinds.js";
import {enhanceTables} from "./table.js";

export function dsePage(data) {
  const kinds = ["F", "GI", "GW"].filter((kind) => data.rows.some((row) => row.kind === kind));
  if (data.rows.length > 0) shapes(data, kinds);
  sharing(data);
  readings(data);
  enhanceTables();
}

function shapes(data, kinds) {
  const numbers = Object.entries(data.rows[0].kernel).filter(([, v]) => typeof v === "number").map(([key]) => ({name: key, of: (row) => row.kernel[key]}));
  const resources = Object.keys(data.rows[0].resources).map((key) => ({name: key, of: (row) => row.resources[key]}));
  const figures = [...numbers, ...resources, {name: "cycles", of: (row) => row.cycles}];
  let x = 0, y = Math.min(1, figures.length - 1);
  let again = () => {};
  const names = figures.map((figure) => figure.name);
  const controls = element("div", {className: "controls"}, choice("Across", names, x, (at) => { x = at; again(); }), choice("Up", names, y, (at) => { y = at; again(); }));
  const longest = Math.max(...data.rows.map(({cycles}) => cycles));
  again = chart("shapes", {
    name: "The best kernel of every convolution",
    before: [kindLegend(kinds), controls],
    render(width) {
      const [across, up] = [figures[x], figures[y]];
      const scale = (figure) => { const values = data.rows.map(figure.of), low = Math.min(...values), high = Math.max(...values); return {type: low > 0 && high / low > 8 ? "log" : "linear", domain: low > 0 && high / low > 8 ? [low / 1.2, high * 1.2] : [Math.min(0, low), high * 1.06 || 1], label: figure.name}; };
      const svg = draw({
        width, height: Math.max(340, Math.min(480, width * 0.5)), marginLeft: 54, marginRight: 16, marginTop: 22, marginBottom: 44, x: scale(across), y: scale(up), r: {type: "identity"},
        marks: [
          gridX({ticks: width / 100}), gridY({ticks: 6}), axisX({ticks: width / 100, tickFormat: short}), axisY({ticks: 6, tickFormat: short}),
          dot(data.rows, {x: across.of, y: up.of, r: ({cycles}) => 3 + 15 * Math.sqrt(cycles / longest), fill: ({kind}) => kindColor(kinds, kind), fillOpacity: 0.28, stroke: ({kind}) => kindColor(kinds, kind), strokeWidth: 1.3, sort: null, className: "dots"}),
        ],
      });
      name(svg, "dots", data.rows.map((row) => `${row.layer} ${row.kind}`));
      const sx = svg.scale("x"), sy = svg.scale("y");
      return {svg, points: data.rows.map((row) => ({x: sx.apply(across.of(row)), y: sy.apply(up.of(row)), title: `${row.layer} ${row.kind}`,
        rows: () => [["cycles", whole(row.cycles)], ["limiter", row.limiter], ...figures.slice(0, -1).map((figure) => [figure.name, value(figure.of(row))])]}))};
    },
  });
}

function sharing(data) {
  const hows = [["heuristic", "Algorithms 1 and 2", "var(--k-2)"], ["minimum", "the fewest there are", "var(--k-1)"]];
  const points = data.sharing.flatMap((one) => hows.filter(([how]) => one[how]).map(([how, label, color]) => ({how, label, color, penalty: one.penalty_percent / 100, ...one[how]})));
  const present = hows.filter(([how]) => points.some((point) => point.how === how));
  const published = data.published?.kernels;
  chart("sharing", {
    name: "Kernels that a network needs, and the time that sharing them costs, against the penalty allowed",
    before: [legend([...present.map(([, label, color]) => ({name: label, color})), ...(published ? [{name: "published", color: "var(--cloud)", note: `${published} kernels`}] : [])])],
    render(width) {
      // Two panels, side by side where there is room.
      const beside = width >= 760, each = beside ? (width - 24) / 2 : width, height = 300;
      const panel = (title, key, format, extra, domain) => draw({
        width: Math.floor(each), height, marginLeft: 52, marginRight: 16, marginTop: 26, marginBottom: 44,
        x: {label: "penalty allowed", tickFormat: (v) => percent(v, 0), ticks: Math.max(3, each / 80), grid: true}, y: {label: title, tickFormat: format, ticks: 5, grid: true, domain},
        marks: [
          ...extra,
          line(points, {x: "penalty", y: key, z: "how", stroke: "color", strokeWidth: 1.6}),
          dot(points, {x: "penalty", y: key, r: 4, fill: "color", stroke: "var(--bg)", className: `dots-${key}`}),
        ],
      });
      const kernels = panel("kernels", "kernels", whole, published ? [ruleY([published], {stroke: "var(--cloud)", strokeWidth: 2})] : [], [0, 1.05 * Math.max(published ?? 0, ...points.map((point) => point.kernels))]);
      const loss = panel("time more", "loss", (v) => percent(v, 0), [], [0, Math.max(0.001, 1.05 * Math.max(...points.map((point) => point.loss)))]);
      const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
      const all = beside ? height : 2 * height + 12;
      for (const [attribute, set] of Object.entries({width, height: all, viewBox: `0 0 ${width} ${all}`, "aria-hidden": "true"})) svg.setAttribute(attribute, set);
      const offset = beside ? [Math.floor(each) + 24, 0] : [0, height + 12];
      loss.setAttribute("x", offset[0]);
      loss.setAttribute("y", offset[1]);
      svg.append(kernels, loss);
      name(svg, "dots-kernels", points.map(({how, penalty}) => `${how}|${penalty}`));
      name(svg, "dots-loss", points.map(({how, penalty}) => `${how}|${penalty}`));
      const place = (plot, key, [dx, dy]) => { const x = plot.scale("x"), y = plot.scale("y"); return points.map((point) => ({x: dx + x.apply(point.penalty), y: dy + y.apply(point[key]), title: `${point.label}, ${percent(point.penalty, 0)} allowed`, rows: () => [["kernels", whole(point.kernels)], ["time", signedPercent(point.loss)]]})); };
      return {svg, points: [...place(kernels, "kernels", [0, 0]), ...place(loss, "loss", offset)]};
    },
  });
}

function readings(data) {
  if (!data.hours_per_epoch_by_reading) return;
  const rows = Object.entries(data.hours_per_epoch_by_reading).flatMap(([key, of]) => Object.entries(of).map(([reading, {conv_only_hours_per_epoch: hours}]) => ({label: `${key}: ${reading}`, hours})));
  const published = data.published?.hours_per_epoch;
  if (published) rows.push({label: "published", hours: published, published: true});
  chart("readings", {
    name: "Hours an epoch under each reading of the equations",
    render(width) {
      const left = Math.ceil(Math.max(...rows.map(({label}) => textWidth(label)))) + 12, right = 64;
      const svg = draw({
        width, height: 28 * rows.length + 46, marginLeft: left, marginRight: right, marginTop: 4, marginBottom: 40,
        x: {label: "hours an epoch", grid: true, ticks: Math.max(2, (width - left - right) / 90)}, y: {domain: rows.map(({label}) => label), label: null, tickSize: 0, padding: 0.25},
        marks: [
          barX(rows, {x1: 0, x2: "hours", y: "label", fill: (row) => (row.published ? "var(--cloud)" : "var(--accent)"), className: "bars"}),
          text(rows, {x: "hours", y: "label", text: ({hours}) => hours.toFixed(2), textAnchor: "start", dx: 5}),
          ruleX([0]),
        ],
      });
      name(svg, "bars", rows.map(({label}) => label));
      const x = svg.scale("x"), y = svg.scale("y");
      return {svg, points: rows.map(({label, hours}) => ({x: x.apply(0), width: x.apply(hours) - x.apply(0), y: y.apply(label), height: y.bandwidth, title: label, rows: () => [["hours an epoch", hours.toFixed(2)]]}))};
    },
  });
}
