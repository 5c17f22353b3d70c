// All series of the frame at once: an axis each, a line a row.
import {line, link, text} from "@observablehq/plot";
import {chart, draw, element} from "./chart.js";
import {fitted, short, textWidth, whole} from "./format.js";
import {tickLabel} from "./frame.js";

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
  return {at, ticks: ticks.map((v) => ({v, text: tickLabel(v)}))};
}

// {id, name, columns: [name], front: [row], title, tip}
export function parallel(of, frame) {
  const count = frame.count, front = new Set(of.front);
  const chosen = of.columns.map((each) => ({...frame.of(each), ...scaleOf(frame.of(each))})).filter((axis) => axis.ticks.length > 0);
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
  again = chart(of.id, {
    name: of.name,
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
      const path = (points) => points.flatMap((i) => [...heights.map((each, a) => place(a, each[i])), [NaN, NaN]]);
      const cloud = frame.rows.filter((i) => stays[i] && !front.has(i)), best = frame.rows.filter((i) => stays[i] && front.has(i));
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
          link(bars, {x1: (a) => place(a, 0)[0], y1: (a) => place(a, 0)[1], x2: (a) => place(a, 1)[0], y2: (a) => place(a, 1)[1], stroke: "var(--dim)", strokeWidth: 1}),
          link(bars.filter((a) => kept[a]), {x1: (a) => place(a, kept[a][0])[0], y1: (a) => place(a, kept[a][0])[1], x2: (a) => place(a, kept[a][1])[0], y2: (a) => place(a, kept[a][1])[1], stroke: "var(--accent)", strokeWidth: 6, strokeOpacity: 0.6}),
          text(ticks, {x: ({a, at}) => place(a, at)[0], y: ({a, at}) => place(a, at)[1], text: "text", fontSize: 11, textAnchor: down ? "middle" : "end", dx: down ? 0 : -5, dy: down ? 11 : 0, stroke: "var(--bg)", strokeWidth: 3, fill: "var(--fg)"}),
          text(bars, {x: (a) => place(a, down ? 0 : 1)[0], y: (a) => place(a, down ? 0 : 1)[1], text: (a) => fitted(chosen[a].name, room, 12), dy: down ? -11 : -14, textAnchor: down ? "start" : "middle", fontWeight: 600, stroke: "var(--bg)", strokeWidth: 3, fill: "var(--fg)"}),
        ],
      });
      const sx = svg.scale("x"), sy = svg.scale("y");
      geometry = {down, at: (a, share) => [sx.apply(place(a, share)[0]), sy.apply(place(a, share)[1])]};
      const read = best.length > 0 ? best : cloud.slice(0, 500);
      const last = chosen.length - 1;
      return {svg, points: read.filter((i) => heights[last][i] !== null).map((i) => { const [px, py] = geometry.at(last, heights[last][i]); return {x: px, y: py, title: frame.title(of, i) + (front.has(i) ? ", on the front" : ""), rows: () => frame.tip(of, i)}; })};
    },
  });
  const holder = document.querySelector(`[data-chart="${of.id}"] .plot`);
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
