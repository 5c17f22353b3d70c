// An iteration in time: a lane a resource, and any stretch of it as large as one likes.
import {barX, rect, ruleX, stackX, text} from "@observablehq/plot";
import {chart, draw, element, legend, name} from "./chart.js";
import {bytes, percent, textWidth, time, unitOfTime, whole} from "./format.js";
import {colorOf} from "./kinds.js";
import {enhanceTables, longTable} from "./table.js";

const kPicosecond = 1e-12;
const kZoom = 2;       // of a step of the buttons
const kNarrowest = 1e-9; // of the iteration: no smaller stretch is shown
const kHairline = 0.6; // pixels that the shortest step takes

// "kernel" is of the part "kernels", "host operator" of "host layers": one colour in both charts.
const partOf = (parts, activity) => parts.findIndex((part) => part.slice(0, 3) === activity.slice(0, 3));

export function timelinePage(data) {
  const steps = data.steps, count = steps.start_ps.length, end = data.iteration_ps;
  const activities = [...new Set(steps.activity)];
  const parts = Object.keys(data.where_ps);
  const color = (activity) => colorOf(partOf(parts, activity));
  const where = Object.entries(data.where_ps).filter(([, ps]) => ps > 0).map(([part, ps]) => ({part, seconds: ps * kPicosecond, color: part === "idle" ? "var(--idle)" : colorOf(parts.indexOf(part))}));

  chart("where", {
    name: "Parts of the iteration",
    before: [legend(where.map(({part, seconds, color: of}) => ({name: part, color: of, note: `${time(seconds)}, ${percent(seconds / (end * kPicosecond), 2)}`})))],
    render(width) {
      const all = end * kPicosecond, [size, unit] = unitOfTime(all);
      const svg = draw({
        width, height: 92, marginLeft: 4, marginRight: 14, marginTop: 4, marginBottom: 40,
        x: {domain: [0, all / size], label: unit, ticks: Math.max(2, width / 110)}, y: {axis: null},
        marks: [barX(where, stackX({x: ({seconds}) => seconds / size, fill: "color", order: null, className: "bars"}))],
      });
      name(svg, "bars", where.map(({part}) => part));
      const x = svg.scale("x");
      let at = 0;
      return {svg, points: where.map(({part, seconds}) => {
        const left = x.apply(at / size);
        at += seconds;
        return {x: left, width: x.apply(at / size) - left, y: 4, height: 48, title: part, rows: () => [["time", time(seconds)], ["share", percent(seconds / all, 2)]]};
      })};
    },
  });

  lanes(data, activities, color);

  const column = (title, values, numeric = false) => ({name: title, values, numeric});
  const seconds = (values) => values.map((ps) => (ps === null ? null : ps * kPicosecond));
  const numbers = Array.from({length: count}, (_, i) => i);
  const columns = [column("operator", steps.operator), column("activity", steps.activity), column("on", steps.resource), column("start, s", seconds(steps.start_ps), true), column("time, s", numbers.map((i) => (steps.end_ps[i] - steps.start_ps[i]) * kPicosecond), true),
    column("what", steps.what), column("bytes", steps.bytes, true), column("kernel", steps.kernel, true), column("channel", steps.memory_channel, true), column("priced by", steps.priced_by)];
  longTable("steps", "Every step, in time", columns.filter(({values}) => values.some((v) => v !== null)), count);
  enhanceTables();
}

function lanes(data, activities, color) {
  const steps = data.steps, end = data.iteration_ps, names = data.lanes;
  const critical = new Set(data.critical_path);
  const all = steps.start_ps.map((start, i) => ({i, x1: start, x2: steps.end_ps[i], lane: steps.resource[i], activity: steps.activity[i]}));
  let shown = [0, end];
  let again = () => {};

  const readout = element("span", {className: "hint"});
  readout.setAttribute("role", "status");
  const show = (from, to) => {
    const span = Math.min(end, Math.max(to - from, end * kNarrowest));
    const start = Math.max(0, Math.min(from, end - span));
    shown = [start, start + span];
    readout.textContent = span >= end ? `all of ${time(end * kPicosecond)}` : `${time(start * kPicosecond, 6)} to ${time((start + span) * kPicosecond, 6)}: ${time(span * kPicosecond)}`;
    again();
  };
  const zoom = (factor) => {
    const middle = (shown[0] + shown[1]) / 2, half = ((shown[1] - shown[0]) / 2) * factor;
    show(middle - half, middle + half);
  };
  const move = (share) => show(shown[0] + share * (shown[1] - shown[0]), shown[1] + share * (shown[1] - shown[0]));
  const button = (label, act) => {
    const made = element("button", {type: "button", textContent: label});
    made.addEventListener("click", act);
    return made;
  };
  const controls = element("div", {className: "controls"},
    button("Zoom in", () => zoom(1 / kZoom)), button("Zoom out", () => zoom(kZoom)), button("Earlier", () => move(-0.5)), button("Later", () => move(0.5)), button("All of it", () => show(0, end)), readout);

  const left = Math.ceil(Math.max(...names.map((lane) => textWidth(lane)))) + 10, right = 14;
  again = chart("lanes", {
    name: "Steps of the iteration on each resource",
    before: [legend(activities.map((activity) => ({name: activity, color: color(activity)}))), controls],
    render(width) {
      const [from, to] = shown, span = to - from, inner = width - left - right;
      const seen = all.filter(({x1, x2}) => x2 > from && x1 < to);
      const [size, unit] = unitOfTime(span * kPicosecond);
      const ticks = Math.max(2, Math.floor(inner / 120));
      const boxes = seen.map((step) => { const x1 = Math.max(step.x1, from), x2 = Math.min(step.x2, to); return {...step, x1, x2: Math.max(x2, Math.min(to, x1 + (kHairline * span) / inner))}; });
      const scale = kPicosecond / size;
      const labelled = boxes.filter(({i, x1, x2}) => ((x2 - x1) / span) * inner > textWidth(steps.operator[i], 11) + 8);
      const svg = draw({
        width, height: 46 * names.length + 50, marginLeft: left, marginRight: right, marginTop: 4, marginBottom: 42,
        x: {domain: [from * scale, to * scale], label: unit, ticks, grid: true}, y: {domain: names, label: null, tickSize: 0, padding: 0.22},
        marks: [
          barX(boxes, {x1: ({x1}) => x1 * scale, x2: ({x2}) => x2 * scale, y: "lane", fill: ({activity}) => color(activity), className: "boxes"}),
          text(labelled, {x: ({x1, x2}) => ((x1 + x2) / 2) * scale, y: "lane", text: ({i}) => steps.operator[i], fontSize: 11, fill: "var(--bg)", fontWeight: 600}),
        ],
      });
      name(svg, "boxes", boxes.map(({i}) => String(i)));
      const x = svg.scale("x"), y = svg.scale("y");
      return {svg, points: boxes.map(({i, x1, x2, lane}) => ({x: x.apply(x1 * scale), width: x.apply(x2 * scale) - x.apply(x1 * scale), y: y.apply(lane), height: y.bandwidth, title: `${steps.operator[i]}: ${steps.activity[i]}`,
        rows: () => [["from", time(steps.start_ps[i] * kPicosecond, 9)], ["takes", time((steps.end_ps[i] - steps.start_ps[i]) * kPicosecond, 6)], ...(steps.what[i] ? [["what", steps.what[i]]] : []), ...(steps.bytes[i] ? [["bytes", `${whole(steps.bytes[i])} (${bytes(steps.bytes[i])})`]] : []), ["critical path", critical.has(i) ? "on it" : "not on it"]]}))};
    },
  });
  const holder = document.querySelector('[data-chart="lanes"] .plot');
  const overview = element("div", {className: "overview"});
  holder.after(overview);
  const box = element("div", {className: "window"});
  overview.append(box);
  const place = () => {
    overview.style.margin = `0 ${right}px 0 ${left}px`;
    box.style.left = `${(100 * shown[0]) / end}%`;
    box.style.width = `max(3px, ${(100 * (shown[1] - shown[0])) / end}%)`;
  };
  const redraw = again;
  again = () => {
    redraw();
    place();
  };
  show(0, end);

  // A drag over the lanes zooms; one over the strip moves.
  const inLanes = (event) => {
    const frame = holder.getBoundingClientRect();
    const share = (event.clientX - frame.left - left) / (frame.width - left - right);
    return shown[0] + Math.max(0, Math.min(1, share)) * (shown[1] - shown[0]);
  };
  let start = null;
  const band = element("div", {className: "band", hidden: true});
  holder.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    start = {at: inLanes(event), x: event.clientX};
    holder.append(band);
  });
  holder.addEventListener("pointermove", (event) => {
    if (!start) return;
    const frame = holder.getBoundingClientRect();
    band.hidden = Math.abs(event.clientX - start.x) < 4;
    band.style.left = `${Math.min(event.clientX, start.x) - frame.left}px`;
    band.style.width = `${Math.abs(event.clientX - start.x)}px`;
  });
  addEventListener("pointerup", (event) => {
    if (!start) return;
    const {at, x} = start;
    start = null;
    band.hidden = true;
    if (Math.abs(event.clientX - x) >= 4) show(Math.min(at, inLanes(event)), Math.max(at, inLanes(event)));
  });
  overview.addEventListener("pointerdown", (event) => {
    const frame = overview.getBoundingClientRect();
    const to = (moved) => {
      const middle = ((moved.clientX - frame.left) / frame.width) * end, half = (shown[1] - shown[0]) / 2;
      show(middle - half, middle + half);
    };
    to(event);
    const stop = new AbortController();
    addEventListener("pointermove", to, {signal: stop.signal});
    addEventListener("pointerup", () => stop.abort(), {signal: stop.signal});
    event.preventDefault();
  });
  holder.addEventListener("keydown", (event) => {
    const acts = {"+": () => zoom(1 / kZoom), "=": () => zoom(1 / kZoom), "-": () => zoom(kZoom), 0: () => show(0, end)};
    if (event.key in acts && !event.ctrlKey && !event.metaKey) {
      acts[event.key]();
      event.preventDefault();
    }
  });
}
