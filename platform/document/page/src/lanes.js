// Rows of the frame in time: a lane a resource, and any stretch of it as large as one likes.
import {barX, text} from "@observablehq/plot";
import {chart, draw, element, legend, name} from "./chart.js";
import {preciseTime, textWidth, time, unitOfTime} from "./format.js";

const kZoom = 2;       // of a step of the buttons
const kNarrowest = 1e-9; // of the whole: no smaller stretch is shown
const kHairline = 0.6; // pixels that the shortest row takes

// {id, name, x: start, y: length, row, color, parts, lanes: [name], end, title, tip}; times in seconds
export function lanes(of, frame) {
  const {id, end, lanes: names} = of, lengths = frame.of(of.y).values, lane = frame.of(of.row).values, first = frame.of(of.title[0]).values;
  const colors = frame.colors(of.color, of.parts);
  const all = frame.of(of.x).values.map((start, i) => ({i, x1: start, x2: start + lengths[i]}));
  let shown = [0, end];
  let again = () => {};

  const readout = element("span", {className: "hint"});
  readout.setAttribute("role", "status");
  const show = (from, to) => {
    const span = Math.min(end, Math.max(to - from, end * kNarrowest));
    const start = Math.max(0, Math.min(from, end - span));
    shown = [start, start + span];
    readout.textContent = span >= end ? `all of ${time(end)}` : `${preciseTime(start, 6)} to ${preciseTime(start + span, 6)}: ${preciseTime(span, 4)}`;
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
  again = chart(id, {
    name: of.name,
    before: [legend(frame.parts(of.color, of.parts)), controls],
    render(width) {
      const [from, to] = shown, span = to - from, inner = width - left - right;
      const seen = all.filter(({x1, x2}) => x2 > from && x1 < to);
      const [size, unit] = unitOfTime(span);
      const ticks = Math.max(2, Math.floor(inner / 120));
      const boxes = seen.map((step) => { const x1 = Math.max(step.x1, from), x2 = Math.min(step.x2, to); return {...step, x1, x2: Math.max(x2, Math.min(to, x1 + (kHairline * span) / inner))}; });
      const scale = 1 / size;
      const labelled = boxes.filter(({i, x1, x2}) => ((x2 - x1) / span) * inner > textWidth(first[i], 11) + 8);
      const svg = draw({
        width, height: 46 * names.length + 50, marginLeft: left, marginRight: right, marginTop: 4, marginBottom: 42,
        x: {domain: [from * scale, to * scale], label: unit, ticks, grid: true}, y: {domain: names, label: null, tickSize: 0, padding: 0.22},
        marks: [
          barX(boxes, {x1: ({x1}) => x1 * scale, x2: ({x2}) => x2 * scale, y: ({i}) => lane[i], fill: ({i}) => colors[i], className: "boxes"}),
          text(labelled, {x: ({x1, x2}) => ((x1 + x2) / 2) * scale, y: ({i}) => lane[i], text: ({i}) => first[i], fontSize: 11, fill: "var(--bg)", fontWeight: 600}),
        ],
      });
      name(svg, "boxes", boxes.map(({i}) => String(i)));
      const x = svg.scale("x"), y = svg.scale("y");
      return {svg, points: boxes.map(({i, x1, x2}) => ({x: x.apply(x1 * scale), width: x.apply(x2 * scale) - x.apply(x1 * scale), y: y.apply(lane[i]), height: y.bandwidth, title: frame.title(of, i), rows: () => frame.tip(of, i)}))};
    },
  });
  const holder = document.querySelector(`[data-chart="${id}"] .plot`);
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
