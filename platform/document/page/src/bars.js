// Bars and columns of parts that lie on each other, lines over a number, strips of parts in time.
import {axisX, axisY, barX, dot, gridY, line, rect, ruleX, ruleY, stackX, text} from "@observablehq/plot";
import {chart, choice, draw, element, legend, name} from "./chart.js";
import {fitted, percent, short, shown, textWidth, tickOf, unitOf, whole} from "./format.js";
import {colored, keyed} from "./frame.js";

const sum = (values) => values.reduce((all, v) => all + v, 0);
const maximum = (values, least = 0) => values.reduce((most, v) => Math.max(most, v), least);

// What the tip of a bar says: its parts, with their shares where there are several.
function tipOf({values, tip}, parts, form, label) {
  const all = sum(values.map(([, v]) => v)), split = parts.length > 1 && values.length > 1 && form !== "share";
  return [...tip, ...values.map(([part, v]) => [parts[part].name || label, split && all > 0 ? `${shown(form)(v)}, ${percent(v / all)}` : shown(form)(v)])];
}

// {id, name, label, form, parts: [{name, color?, note?}], bars: [{name, note, values: [[part, value]], tip: [[what, text]]}], rules: [{at, name}]}: a bar below the other.
export function bars({id, name: what, label, form, parts: given, bars: rows, rules}) {
  const parts = colored(given), named = rules.filter((rule) => rule.name);
  const highs = rows.map(({values}) => sum(values.map(([, v]) => Math.max(v, 0)))), lows = rows.map(({values}) => sum(values.map(([, v]) => Math.min(v, 0))));
  const high = maximum([...highs, ...rules.map((rule) => rule.at)]), low = -maximum(lows.map((v) => -v));
  const [size, unit] = unitOf(form, Math.max(high, -low)), split = rows.some(({values}) => values.length > 1);
  chart(id, {
    name: what,
    before: keyed(parts.filter((part) => part.name)),
    render(width) {
      const names = Math.ceil(maximum(rows.map((row) => textWidth(row.name)))), notes = Math.ceil(maximum(rows.map((row) => textWidth(row.note))));
      // Names and notes beside the bars where there is room, else above them.
      const beside = width >= 760 && names <= 300 && notes <= 300, above = !beside && names + notes > 0;
      const top = 8 + 15 * named.length, inset = above ? [21, 6] : [4, 4];
      const margins = {marginLeft: beside ? names + 14 : 24, marginRight: beside ? notes + 24 : 24, marginTop: top, marginBottom: 42};
      const segments = rows.flatMap((row, at) => row.values.map(([part, v]) => ({at, v: v / size, color: parts[part].color, key: [row.name, split ? parts[part].name : ""].filter(Boolean).join("|")})));
      const noted = (row) => row.note !== "";
      const svg = draw({
        width, height: (above ? 44 : rows.length === 1 ? 48 : 26) * rows.length + top + 42, ...margins,
        x: {domain: [(low * 1.02) / size, (high * 1.02) / size || 1], label: unit ? `${label}${label ? ", " : ""}${unit}` : label, grid: true, tickFormat: tickOf(form, (high - low) / size), ticks: Math.max(2, (width - margins.marginLeft - margins.marginRight) / 100)}, y: {domain: rows.map((_, at) => at), axis: null, padding: 0},
        marks: [
          barX(segments, stackX({x: "v", y: "at", fill: "color", order: null, insetTop: inset[0], insetBottom: inset[1], className: "bars"})),
          ruleX([0, ...rules.map(({at}) => at / size)], {stroke: "var(--fg)", strokeDasharray: (at) => (at === 0 ? null : "4,3")}),
          ...named.map((rule, i) => { const far = rule.at > high / 2; return text([rule], {x: () => rule.at / size, frameAnchor: "top", dy: -8 - 15 * (named.length - 1 - i), lineAnchor: "bottom", dx: far ? -3 : 3, textAnchor: far ? "end" : "start", text: "name", fill: "var(--dim)"}); }),
          text(rows, {frameAnchor: "left", y: (_, at) => at, text: (row) => fitted(row.name, beside ? names + 4 : width - 64 - textWidth(row.note)), textAnchor: beside ? "end" : "start", dx: beside ? -8 : 4, dy: beside ? 0 : -9, stroke: "var(--bg)", strokeWidth: 3, fill: "var(--fg)"}),
          text(rows.filter(noted), {frameAnchor: "right", y: (row) => rows.indexOf(row), text: "note", textAnchor: beside ? "start" : "end", dx: beside ? 8 : -4, dy: beside ? 0 : -9, stroke: "var(--bg)", strokeWidth: 3, fill: "var(--dim)"}),
        ],
      });
      name(svg, "bars", segments.map(({key}) => key));
      const x = svg.scale("x"), y = svg.scale("y");
      return {svg, points: rows.flatMap((row, at) => {
        const place = {y: y.apply(at) + inset[0], height: y.bandwidth - inset[0] - inset[1]};
        if (rows.length > 1) return [{...place, x: x.apply(lows[at] / size), width: Math.max(1, x.apply(highs[at] / size) - x.apply(lows[at] / size)), title: row.name, rows: () => tipOf(row, parts, form, label)}];
        let from = 0; // a bar alone is read part by part
        return row.values.map(([part, v]) => { const left = x.apply(from / size); from += v; return {...place, x: left, width: x.apply(from / size) - left, title: parts[part].name, rows: () => [[row.name || label, shown(form)(v)], ["share", percent(v / highs[at], 2)]]}; });
      })};
    },
  });
}

// As many of the ticks, from the left, as neither lie on each other nor leave the chart.
function apart(ticks, place, end) {
  const kept = [];
  let free = -Infinity;
  for (const tick of ticks) {
    const half = textWidth(tick.name) / 2 + 6, x = place(tick.at);
    if (x - half < free || x + half > end) continue;
    kept.push(tick);
    free = x + half;
  }
  return kept;
}

// As bars, side by side; each as wide as its `width`. ticks: [{at, name}] below them, borders: lines between groups.
export function columns({id, name: what, label, form, parts: given, bars: rows, rules, ticks, borders}) {
  const parts = colored(given), ends = [0];
  for (const row of rows) ends.push(ends.at(-1) + row.width);
  const tops = rows.map(({values}) => sum(values.map(([, v]) => v))), most = maximum([...tops, ...rules.map((rule) => rule.at)], 1e-9), [size, unit] = unitOf(form, most);
  const key = parts.length > 1 || rules.length > 0 ? [...parts.filter((part) => part.name), ...rules.filter((rule) => rule.name).map((rule) => ({name: rule.name, color: "var(--cloud)"}))] : [];
  const boxes = rows.flatMap((row, i) => { let low = 0; return row.values.map(([part, v]) => ({x1: ends[i], x2: ends[i + 1], y1: low / size, y2: (low += v) / size, color: parts[part].color, key: row.values.length > 1 ? `${row.name}|${parts[part].name}` : row.name})); });
  chart(id, {
    name: what,
    before: keyed(key),
    render(width) {
      const left = 54, right = 30, all = Math.max(ends.at(-1), 1e-9), gap = (width - left - right) / Math.max(rows.length, 1) > 6 && borders.length === 0 ? 1 : 0;
      const kept = apart(ticks, (at) => left + (at / all) * (width - left - right), width);
      const svg = draw({
        width, height: Math.max(250, Math.min(400, width * 0.38)), marginLeft: left, marginRight: right, marginTop: 24, marginBottom: 40,
        x: {label: null, domain: [0, all]}, y: {label: unit ? `${label}, ${unit}` : label, domain: [0, (form === "share" && borders.length > 0 ? 1 : 1.06) * (most / size)]},
        marks: [
          gridY({ticks: 6}), axisX(kept.map(({at}) => at), {tickFormat: (at) => kept.find((tick) => tick.at === at).name, tickSize: 0}), axisY({ticks: 6, tickFormat: form === "share" ? (v) => percent(v, 0) : short}),
          rect(boxes, {x1: "x1", x2: "x2", y1: "y1", y2: "y2", fill: "color", insetLeft: gap, insetRight: gap, stroke: borders.length > 0 ? "var(--bg)" : null, strokeWidth: Math.min(0.4, width / Math.max(rows.length, 1) / 12), sort: null, className: "bars"}),
          ruleX(borders, {stroke: "var(--fg)", strokeWidth: 1.5}), ruleY(rules.map(({at}) => at / size), {stroke: "var(--cloud)", strokeWidth: 2}), ruleY([0]),
        ],
      });
      name(svg, "bars", boxes.map((box) => box.key));
      const x = svg.scale("x"), y = svg.scale("y");
      return {svg, points: rows.map((row, i) => ({x: x.apply(ends[i]), width: x.apply(ends[i + 1]) - x.apply(ends[i]), y: y.apply(tops[i] / size), height: y.apply(0) - y.apply(tops[i] / size), title: row.name, rows: () => tipOf(row, parts, form, label)}))};
    },
  });
}

// {id, name, across, across_form, label, form, log, parts: [{name, color?}], lines: [[[x, y]]], rules: [{at, name}] over x, levels: the same over y}
export function lines({id, name: what, across, across_form: acrossForm, label, form, log, parts: given, lines: series, rules, levels}) {
  const parts = colored(given), points = series.flatMap((each, i) => each.map(([x, y]) => ({i, x, y}))), sparse = points.length <= 60;
  const xs = points.map(({x}) => x), published = [...rules, ...levels];
  const key = [...(parts.length > 1 || published.length > 0 ? parts : []), ...(published.length > 0 ? [{name: "published", color: "var(--cloud)", note: published.map((rule) => rule.name).join(", ")}] : [])];
  chart(id, {
    name: what,
    before: keyed(key),
    render(width) {
      const svg = draw({
        width, height: Math.max(300, Math.min(440, width * 0.4)), marginLeft: 54, marginRight: 20, marginTop: 24, marginBottom: 44,
        x: {label: across, type: log ? "log" : "linear", base: 2, domain: [Math.min(...xs), Math.max(...xs)]}, y: {label, domain: [0, 1.05 * maximum([...points.map(({y}) => y), ...levels.map((level) => level.at)], 1e-9)]},
        marks: [
          gridY({ticks: 6}), axisX({ticks: Math.max(2, width / 90), tickFormat: acrossForm === "share" ? (v) => percent(v, 0) : short}), axisY({ticks: 6, tickFormat: form === "share" || form === "change" ? (v) => percent(v, 0) : short}),
          ruleX(rules.map(({at}) => at), {stroke: "var(--cloud)", strokeWidth: 2}), ruleY(levels.map(({at}) => at), {stroke: "var(--cloud)", strokeWidth: 2}), ruleY([0]),
          ...series.map((_, i) => line(points.filter((point) => point.i === i), {x: "x", y: "y", stroke: parts[i].color, strokeWidth: 1.8, strokeDasharray: i < 8 ? undefined : "5,3", className: `line-${i}`})), // colours come again after eight
          sparse ? dot(points, {x: "x", y: "y", r: 4, fill: ({i}) => parts[i].color, stroke: "var(--bg)", className: "dots"}) : null,
        ],
      });
      series.forEach((_, i) => name(svg, `line-${i}`, [parts[i].name]));
      if (sparse) name(svg, "dots", points.map(({i, x}) => `${parts[i].name}|${x}`));
      const x = svg.scale("x"), y = svg.scale("y");
      return {svg, points: points.map((point) => ({x: x.apply(point.x), y: y.apply(point.y), title: parts[point.i].name, rows: () => [[across, shown(acrossForm)(point.x)], [label, shown(form)(point.y)]]}))};
    },
  });
}

// {id, name, label, choose, parts, lanes: [name], choices: [{name, borders, stretches: [name], values: [stretch][lane][part]}]}: between two borders, how the time of each lane is split.
export function strips({id, name: what, label, choose, parts: given, lanes, choices}) {
  const kLow = 0.1, kHigh = 0.9; // of a lane
  const parts = colored(given);
  let chosen = 0;
  const again = chart(id, {
    name: what,
    before: [choices.length > 1 ? element("div", {className: "controls"}, choice(choose, choices.map((each) => each.name), 0, (at) => { chosen = at; again(); })) : "", legend(parts)],
    render(width) {
      const {name: title, borders, stretches, values} = choices[chosen], boxes = [], cells = [];
      values.forEach((ofLanes, at) => ofLanes.forEach((split, b) => {
        const all = sum(split);
        if (all === 0) return;
        let low = 0;
        split.forEach((v, s) => {
          if (v === 0) return;
          const high = low + v / all;
          boxes.push({x1: borders[at], x2: borders[at + 1], y1: b + kHigh - (kHigh - kLow) * low, y2: b + kHigh - (kHigh - kLow) * high, color: parts[s].color, key: `${lanes[b]}|${at}|${parts[s].name}`});
          low = high;
        });
        cells.push({at, b, shares: split.map((v) => v / all)});
      }));
      const left = Math.ceil(maximum(lanes.map((lane) => textWidth(lane)))) + 12;
      const svg = draw({
        width, height: 26 * lanes.length + (stretches.length > 0 ? 64 : 48), marginLeft: left, marginRight: 24, marginTop: stretches.length > 0 ? 22 : 4, marginBottom: 42,
        x: {domain: [0, borders.at(-1)], label, tickFormat: short, ticks: Math.max(2, Math.floor((width - left) / 130))}, y: {domain: [lanes.length, 0], axis: null},
        marks: [
          rect(boxes, {x1: "x1", x2: "x2", y1: "y1", y2: "y2", fill: "color", shapeRendering: "crispEdges", className: "parts"}),
          text(stretches, {x: (_, at) => (borders[at] + borders[at + 1]) / 2, frameAnchor: "top", dy: -4, lineAnchor: "bottom", fontWeight: 600, text: (each) => each}),
          text(lanes, {frameAnchor: "left", y: (_, b) => b + 0.5, text: (lane) => lane, textAnchor: "end", dx: -8}),
        ],
      });
      name(svg, "parts", boxes.map(({key}) => key));
      const x = svg.scale("x"), y = svg.scale("y");
      return {svg, points: cells.map(({at, b, shares}) => ({x: x.apply(borders[at]), width: x.apply(borders[at + 1]) - x.apply(borders[at]), y: y.apply(b + kLow), height: y.apply(b + kHigh) - y.apply(b + kLow), title: `${lanes[b]}, ${stretches[at] ?? title}`,
        rows: () => [["from, to", `${whole(borders[at])} to ${whole(borders[at + 1])}`], ...parts.map((part, s) => [part.name, percent(shares[s])])]}))};
    },
  });
}
