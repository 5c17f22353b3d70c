// A run: where its time goes, convolution by convolution.
import {axisX, axisY, barX, cell, dot, gridX, gridY, line, rect, rectY, ruleX, ruleY, stackX, text} from "@observablehq/plot";
import {chart, choice, draw, element, legend, name} from "./chart.js";
import {bytes, fitted, percent, short, signedPercent, textWidth, time, unitOfTime, whole} from "./format.js";
import {kindColor, kindLegend, spread} from "./kinds.js";
import {ladders} from "./ladder.js";
import {enhanceTables} from "./table.js";

const sum = (values) => values.reduce((all, v) => all + v, 0);

// What a share of the array's time is called, and its colour: by its first word, the families in shades.
function shares(names) {
  const counts = {};
  return names.map((each) => {
    const [first, ...rest] = each.split("_");
    const family = first === "useful" || first === "products" ? "useful" : first === "idle" ? first : first === "starved" || first === "blocked" ? first : "waste";
    counts[family] = (counts[family] ?? 0) + 1;
    const single = family === "useful" || family === "idle";
    const label = family === "starved" || family === "blocked" ? `${first}${rest.length ? ` by ${rest.join("_")}` : ""}` : each.replaceAll("_", " ");
    const most = family === "waste" ? 5 : 4;
    return {label, color: single ? `var(--${family})` : `var(--${family}-${1 + ((counts[family] - 1) % most)})`};
  });
}

export function runPage(data) {
  ladders(data);
  const of = new Map(data.columns.map(({name: each}, i) => [each, data.values[i]]));
  const layers = of.get("layer"), kinds = of.get("kind"), cycles = of.get("cycles"), limiters = of.get("limiter");
  const rows = layers.map((layer, i) => ({i, name: `${layer} ${kinds[i]}`, kind: kinds[i], cycles: cycles[i]}));
  const total = sum(cycles);
  const share = shares(data.pe.names).map((each, s) => ({...each, values: data.pe.values[s], total: sum(data.pe.values[s])}));
  const peCycles = rows.map(({i}) => sum(share.map(({values}) => values[i])));
  const peTotal = sum(peCycles);
  const splitRows = (i) => share.filter(({values}) => values[i] > 0).map(({label, values}) => [label, percent(values[i] / peCycles[i])]);
  const shareLegend = () => legend(share.filter((each) => each.total > 0).map((each) => ({name: each.label, color: each.color, note: percent(each.total / peTotal)})));
  const seconds = (n) => n / data.clock_hz;

  chart("where", {
    name: "Processing-element cycles of every convolution, split by what the elements do",
    before: [shareLegend()],
    render(width) {
      const order = [...rows].sort((a, b) => data.kinds.indexOf(a.kind) - data.kinds.indexOf(b.kind) || b.cycles - a.cycles || a.i - b.i);
      const boxes = [], groups = [], columns = [];
      let at = 0;
      for (const row of order) {
        let low = 0;
        for (const {label, color, values} of share) {
          const part = values[row.i] / peCycles[row.i];
          if (part > 0) boxes.push({x1: at, x2: at + row.cycles, y1: low, y2: low + part, color, key: `${row.name}|${label}`});
          low += part;
        }
        columns.push({row, x1: at, x2: at + row.cycles});
        if (groups.at(-1)?.kind !== row.kind) groups.push({kind: row.kind, x1: at});
        groups.at(-1).x2 = at += row.cycles;
      }
      const svg = draw({
        width, height: Math.max(260, Math.min(420, width * 0.4)), marginLeft: 46, marginRight: 24, marginTop: 26, marginBottom: 40,
        x: {domain: [0, total], label: "cycles of the iteration, cumulative", tickFormat: short, ticks: Math.max(2, Math.floor(width / 130))},
        y: {domain: [0, 1], label: null, tickFormat: (v) => percent(v, 0), ticks: 5},
        marks: [
          rect(boxes, {x1: "x1", x2: "x2", y1: "y1", y2: "y2", fill: "color", stroke: "var(--bg)", strokeWidth: Math.min(0.4, width / rows.length / 12), className: "boxes"}),
          ruleX(groups.slice(1), {x: "x1", stroke: "var(--fg)", strokeWidth: 1.5}),
          text(groups, {x: (d) => (d.x1 + d.x2) / 2, y: 1, dy: -8, lineAnchor: "bottom", fontWeight: 600, fill: "currentColor",
            text: (d) => { const pixels = ((d.x2 - d.x1) / total) * (width - 70); const long = `${d.kind} · ${percent((d.x2 - d.x1) / total)} of the cycles`;
              return textWidth(long, 12, 600) < pixels ? long : textWidth(d.kind, 12, 600) < pixels ? d.kind : ""; }}),
        ],
      });
      name(svg, "boxes", boxes.map(({key}) => key));
      const x = svg.scale("x"), y = svg.scale("y");
      const points = columns.map(({row, x1, x2}) => ({x: x.apply(x1), width: x.apply(x2) - x.apply(x1), y: y.apply(1), height: y.apply(0) - y.apply(1), title: row.name,
        rows: () => [["cycles", `${whole(row.cycles)} (${percent(row.cycles / total)})`], ["limiter", limiters[row.i]], ...splitRows(row.i)]}));
      return {svg, points};
    },
  });

  chart("longest", {
    name: "The longest convolutions in seconds, split by what the array does",
    before: [shareLegend()],
    render(width) {
      const longest = [...rows].sort((a, b) => b.cycles - a.cycles || a.i - b.i).slice(0, 15);
      const [size, unit] = unitOfTime(seconds(longest[0].cycles));
      const parts = longest.flatMap((row, at) => share.filter(({values}) => values[row.i] > 0).map(({label, color, values}) => ({at, color, key: `${row.name}|${label}`, v: ((values[row.i] / peCycles[row.i]) * seconds(row.cycles)) / size})));
      const wide = width >= 760;
      const notes = longest.map((row) => `${time(seconds(row.cycles), 3)} · ${limiters[row.i]}`);
      const right = wide ? Math.ceil(Math.max(...notes.map((note) => textWidth(note)))) + 12 : 12;
      const left = wide ? Math.min(280, Math.ceil(Math.max(...longest.map((row) => textWidth(row.name)))) + 12) : 8;
      const band = wide ? 24 : 40;
      const svg = draw({
        width, height: longest.length * band + 60, marginLeft: left, marginRight: right, marginTop: 8, marginBottom: 40,
        x: {label: unit, grid: true, ticks: Math.max(2, Math.floor((width - left - right) / 90))}, y: {domain: longest.map((_, at) => at), axis: null, padding: 0},
        marks: [
          barX(parts, stackX({x: "v", y: "at", fill: "color", order: null, insetTop: wide ? 4 : 22, insetBottom: 4, className: "bars"})),
          text(longest, {x: 0, y: (_, at) => at, text: (row) => fitted(row.name, wide ? left - 10 : width - 24 - textWidth(notes[longest.indexOf(row)]) - 12), textAnchor: wide ? "end" : "start", dx: wide ? -8 : 4, dy: wide ? 0 : -9}),
          text(longest, {x: wide ? (row) => seconds(row.cycles) / size : undefined, frameAnchor: wide ? undefined : "right", y: (_, at) => at, text: (_, at) => notes[at], textAnchor: wide ? "start" : "end", dx: wide ? 7 : 0, dy: wide ? 0 : -9, fill: "var(--dim)"}),
          ruleX([0]),
        ],
      });
      name(svg, "bars", parts.map(({key}) => key));
      const x = svg.scale("x"), y = svg.scale("y");
      const points = longest.map((row, at) => ({x: x.apply(0), width: x.apply(seconds(row.cycles) / size) - x.apply(0), y: y.apply(at) + (wide ? 4 : 22), height: y.bandwidth - (wide ? 8 : 26), title: row.name,
        rows: () => [["time", time(seconds(row.cycles))], ["cycles", whole(row.cycles)], ["limiter", limiters[row.i]], ...splitRows(row.i)]}));
      return {svg, points};
    },
  });

  if (data.bytes) roofline(data, rows, of);
  if (data.activity) busy(data);
  if (data.parts) parts(data.parts);
  if (data.simulated) errors(data, rows, of);
  fit(data);

  const more = data.columns.map(({name: each, meaning, type}, i) => ({name: each, meaning, values: data.values[i], numeric: type !== "TEXT"}));
  enhanceTables({rows: more});
}

function roofline(data, rows, of) {
  const gops = of.get("gops"), cycles = of.get("cycles"), macs = of.get("macs");
  const points = rows.filter(({i}) => data.bytes[i] > 0 && macs[i] > 0).map((row) => ({...row, x: (2 * macs[row.i]) / data.bytes[row.i], y: gops[row.i]}));
  const peak = (2e-9 * data.peak_macs * data.clock_hz), longest = Math.max(...cycles);
  const roofs = data.roofs.map((roof) => ({...roof, rate: roof.bytes_per_s / 1e9}));
  const xs = points.map(({x}) => x).concat(roofs.map(({rate}) => peak / rate));
  const x0 = Math.min(...xs) / 1.6, x1 = Math.max(...xs) * 1.6;
  const y0 = Math.min(...points.map(({y}) => y)) / 1.6, y1 = peak * 1.9;
  chart("roofline", {
    name: "Roofline: operations a second of every convolution over its operations per byte of DDR",
    before: [kindLegend(data.kinds)],
    render(width) {
      const height = Math.max(320, Math.min(480, width * 0.5)), left = 52, right = 14, top = 12, bottom = 44;
      // How steep a roof is on the screen: both axes are logarithmic.
      const slope = (Math.atan(((height - top - bottom) / Math.log(y1 / y0)) / ((width - left - right) / Math.log(x1 / x0))) * 180) / Math.PI;
      const lines = roofs.flatMap(({name: each, rate}) => [{each, x: Math.max(x0, y0 / rate), y: Math.max(y0, rate * x0)}, {each, x: peak / rate, y: peak}]);
      const svg = draw({
        width, height, marginLeft: left, marginRight: right, marginTop: top, marginBottom: bottom,
        x: {type: "log", domain: [x0, x1], label: "operations per byte of DDR"}, y: {type: "log", domain: [y0, y1], label: "GOPS"}, r: {type: "identity"},
        marks: [
          gridX({ticks: width / 90}), gridY({ticks: 5}), axisX({ticks: width / 90, tickFormat: short}), axisY({ticks: 5, tickFormat: short}),
          line(lines, {x: "x", y: "y", z: "each", stroke: "var(--dim)", strokeDasharray: "5,4"}),
          line([[Math.min(...roofs.map(({rate}) => peak / rate), x1), peak], [x1, peak]], {stroke: "var(--fg)", strokeWidth: 1.5}),
          text([[x1, peak]], {text: [`the array: ${Number(peak.toPrecision(4))} GOPS`], textAnchor: "end", dy: -8, dx: -2}),
          ...roofs.map(({name: each, rate}) => { // where there is room for it
            const label = `${each}: ${Number(rate.toPrecision(4))} GB/s`;
            const across = textWidth(label) * Math.cos((slope * Math.PI) / 180) + 12; // pixels it takes along x
            const end = Math.log(peak / rate / x0) / Math.log(x1 / x0); // of the frame's width
            const at = Math.max(Math.log(Math.max(1, y0 / rate / x0)) / Math.log(x1 / x0) + 8 / (width - left - right), end - across / (width - left - right));
            if (at + across / (width - left - right) > end + 0.02) return null;
            const x = x0 * (x1 / x0) ** at;
            return text([[x, x * rate]], {text: [label], rotate: -slope, textAnchor: "start", dy: -9, fill: "var(--dim)"});
          }),
          dot(points, {x: "x", y: "y", r: ({i}) => 2 + 13 * Math.sqrt(cycles[i] / longest), fill: (d) => kindColor(data.kinds, d.kind), fillOpacity: 0.28, stroke: (d) => kindColor(data.kinds, d.kind), strokeWidth: 1.3, sort: null, className: "dots"}),
        ],
      });
      name(svg, "dots", points.map((each) => each.name));
      const x = svg.scale("x"), y = svg.scale("y");
      return {svg, points: points.map((d) => ({x: x.apply(d.x), y: y.apply(d.y), title: d.name,
        rows: () => [["speed", `${Number(d.y.toPrecision(4))} GOPS, ${percent(d.y / peak)} of the array's`], ["intensity", `${Number(d.x.toPrecision(4))} operations per byte`], ["moved", bytes(data.bytes[d.i])],
          ...roofs.map(({name: each, rate}) => [`under ${each}`, `${percent(d.y / Math.min(peak, rate * d.x))} of its roof`])]}))};
    },
  });
}

function busy(data) {
  const {blocks, states, cycles, counts} = data.activity;
  const kinds = data.kinds.filter((kind) => cycles[kind] > 0);
  const cells = blocks.flatMap((block, b) => kinds.map((kind) => ({block: block.name, meaning: block.meaning, kind, shares: states.map((_, s) => counts[kind][b][s] / cycles[kind])})));
  chart("blocks", {
    name: "Share of the cycles in which each block is active, by kind of convolution",
    render(width) {
      const longest = Math.ceil(Math.max(...blocks.map((block) => textWidth(block.name))));
      const across = width - 32 >= blocks.length * (longest + 6); // blocks side by side, else one below the other
      const band = {label: null, padding: 0.04, tickSize: 0};
      const svg = draw({
        width, height: across ? 34 * kinds.length + 34 : 26 * blocks.length + 34, marginTop: 26, marginLeft: across ? 30 : longest + 10, marginRight: 2, marginBottom: 6,
        x: across ? {...band, domain: blocks.map((block) => block.name), axis: "top"} : {...band, domain: kinds, axis: "top"},
        y: across ? {...band, domain: kinds} : {...band, domain: blocks.map((block) => block.name)},
        marks: [
          cell(cells, {x: across ? "block" : "kind", y: across ? "kind" : "block", fill: (d) => `color-mix(in oklab, var(--heat) ${(100 * d.shares[0]).toFixed(2)}%, var(--faint))`, className: "cells"}),
          text(cells, {x: across ? "block" : "kind", y: across ? "kind" : "block", text: (d) => percent(d.shares[0], 1), fill: (d) => (d.shares[0] > 0.55 ? "var(--bg)" : "var(--fg)")}),
        ],
      });
      name(svg, "cells", cells.map((d) => `${d.block}|${d.kind}`));
      const x = svg.scale("x"), y = svg.scale("y");
      return {svg, points: cells.map((d) => ({x: x.apply(across ? d.block : d.kind), y: y.apply(across ? d.kind : d.block), width: x.bandwidth, height: y.bandwidth, title: `${d.block}, ${d.kind}`,
        rows: () => [["it", d.meaning], ...states.map((state, s) => [state, percent(d.shares[s], 2)])]}))};
    },
  });
}

// One dot a convolution in a strip a kind: no bin hides an outlier.
// What every block does over one convolution: a strip a block, a stack a part.
function parts({blocks, states, convolutions}) {
  const colors = {active: "var(--useful)", blocked: "var(--blocked-1)", starved: "var(--starved-1)", idle: "var(--idle)"};
  const kLow = 0.1, kHigh = 0.9; // of a block's strip
  let chosen = 0;
  const again = chart("activity", {
    name: "What each block does over one convolution",
    before: [element("div", {className: "controls"}, choice("Convolution", convolutions.map((each) => each.name), 0, (at) => { chosen = at; again(); })), legend(states.map((state) => ({name: state, color: colors[state]})))],
    render(width) {
      const {name: title, borders, counts} = convolutions[chosen];
      const boxes = [], strips = [];
      counts.forEach((ofBlocks, part) => ofBlocks.forEach((ofStates, b) => {
        const all = sum(ofStates);
        if (all === 0) return;
        let low = 0;
        ofStates.forEach((cycles, s) => {
          if (cycles === 0) return;
          const high = low + cycles / all;
          boxes.push({x1: borders[part], x2: borders[part + 1], y1: b + kHigh - (kHigh - kLow) * low, y2: b + kHigh - (kHigh - kLow) * high, color: colors[states[s]], key: `${blocks[b].name}|${part}|${states[s]}`});
          low = high;
        });
        strips.push({part, b, shares: ofStates.map((cycles) => cycles / all)});
      }));
      const left = Math.ceil(Math.max(...blocks.map((block) => textWidth(block.name)))) + 12;
      const svg = draw({
        width, height: 26 * blocks.length + 48, marginLeft: left, marginRight: 24, marginTop: 4, marginBottom: 42,
        x: {domain: [0, borders.at(-1)], label: "cycles of the convolution", tickFormat: short, ticks: Math.max(2, Math.floor((width - left) / 130))},
        y: {domain: [blocks.length, 0], axis: null},
        marks: [
          rect(boxes, {x1: "x1", x2: "x2", y1: "y1", y2: "y2", fill: "color", shapeRendering: "crispEdges", className: "parts"}),
          text(blocks, {frameAnchor: "left", y: (_, b) => b + 0.5, text: "name", textAnchor: "end", dx: -8}),
        ],
      });
      name(svg, "parts", boxes.map(({key}) => key));
      const x = svg.scale("x"), y = svg.scale("y");
      return {svg, points: strips.map(({part, b, shares: of}) => ({x: x.apply(borders[part]), width: x.apply(borders[part + 1]) - x.apply(borders[part]), y: y.apply(b + kLow), height: y.apply(b + kHigh) - y.apply(b + kLow), title: `${blocks[b].name}, ${title}`,
        rows: () => [["cycles", `${whole(borders[part])} to ${whole(borders[part + 1])}`], ...states.map((state, s) => [state, percent(of[s], 1)])]}))};
    },
  });
}

function errors(data, rows, of) {
  const errors = of.get("analytical_error"), cycles = of.get("cycles");
  const longest = Math.max(...cycles);
  chart("errors", {
    name: "Error of the equations for every convolution, by kind",
    before: [kindLegend(data.kinds)],
    render(width) {
      const kinds = data.kinds.filter((kind) => rows.some((row) => row.kind === kind));
      const low = Math.min(0, ...errors), high = Math.max(0, ...errors), room = Math.max(1e-6, high - low) * 0.04;
      const svg = draw({
        width, height: 74 * kinds.length + 52, marginLeft: 34, marginRight: 12, marginTop: 8, marginBottom: 42,
        x: {domain: [low - room, high + room], label: "(equations − simulated) / simulated", tickFormat: (v) => (v === 0 ? "0" : signedPercent(v, high - low < 0.004 ? 3 : high - low < 0.1 ? 1 : 0)), ticks: Math.max(3, width / 110), grid: true},
        y: {domain: kinds, label: null, tickSize: 0, padding: 0.5}, r: {type: "identity"},
        marks: [
          ruleX([0], {stroke: "var(--fg)"}),
          dot(rows, {x: ({i}) => errors[i], y: "kind", r: ({i}) => 2.5 + 9 * Math.sqrt(cycles[i] / longest), fill: (d) => kindColor(data.kinds, d.kind), fillOpacity: 0.3, stroke: (d) => kindColor(data.kinds, d.kind), strokeWidth: 1.2, sort: null, className: "dots"}),
        ],
      });
      name(svg, "dots", rows.map((each) => each.name));
      spread(svg, "dots", rows.map(({i}) => i), 40);
      const x = svg.scale("x"), y = svg.scale("y");
      return {svg, points: rows.map((row) => ({x: x.apply(errors[row.i]), y: y.apply(row.kind) + y.bandwidth / 2 + spread.of(row.i, 40), title: row.name,
        rows: () => [["error", signedPercent(errors[row.i], 3)], ["simulated", `${whole(cycles[row.i])} cycles`], ["equations", `${whole(of.get("analytical_cycles")[row.i])} cycles`]]}))};
    },
  });
}

function fit(data) {
  const uses = data.fit;
  chart("fit", {
    name: "Resources of the largest kernel, as a share of what the board leaves to kernels",
    render(width) {
      const notes = uses.map(({used, available, fits}) => `${whole(used)} of ${whole(available)}${fits ? "" : ", exceeded"}`);
      const left = Math.ceil(Math.max(...uses.map((each) => textWidth(each.name)))) + 12;
      const most = Math.max(1, ...uses.map(({used, available}) => used / available));
      const svg = draw({
        width, height: 44 * uses.length + 48, marginLeft: left, marginRight: 12, marginTop: 8, marginBottom: 40,
        x: {domain: [0, most * 1.04], label: "of the board", tickFormat: (v) => percent(v, 0), ticks: Math.max(2, Math.min(8, width / 90)), grid: true}, y: {domain: uses.map((each) => each.name), label: null, tickSize: 0, padding: 0},
        marks: [
          barX(uses, {x1: 0, x2: ({used, available}) => used / available, y: "name", fill: ({fits}) => (fits ? "var(--useful)" : "var(--starved-1)"), insetTop: 20, insetBottom: 8, className: "bars"}),
          text(uses, {frameAnchor: "left", y: "name", text: (_, i) => notes[i], textAnchor: "start", dx: 4, dy: -9, fill: "var(--dim)"}),
          ruleX([1], {stroke: "var(--fg)", strokeWidth: 1.5}), ruleX([0]),
        ],
      });
      name(svg, "bars", uses.map((each) => each.name));
      const x = svg.scale("x"), y = svg.scale("y");
      return {svg, points: uses.map((each, i) => ({x: x.apply(0), width: x.apply(each.used / each.available) - x.apply(0), y: y.apply(each.name) + 20, height: y.bandwidth - 28, title: each.name, rows: () => [["used", notes[i]], ["share", percent(each.used / each.available)], ["by", each.by]]}))};
    },
  });
}
