// Rows of the frame as dots: two series against each other, or one in strips.
import {axisX, axisY, dot, gridX, gridY, line, link, ruleX, ruleY, text} from "@observablehq/plot";
import {chart, choice, draw, element, legend, name} from "./chart.js";
import {fitted, preciseTime, shown, signedPercent, textWidth, tickOf, whole} from "./format.js";
import {colored, keyed, scaleOf, tickLabel} from "./frame.js";

const kChoices = 8; // a series of more values than this has no colours of its own

// Radius by a series: the area is the value.
function radius(frame, size, least, more) {
  if (!size) return () => least;
  const {values} = frame.of(size), most = values.reduce((a, b) => Math.max(a, b), 1e-300);
  return (i) => least + more * Math.sqrt(values[i] / most);
}

// Writes the names of some dots next to them, where they touch neither each other nor another of these dots, nor the edges.
function label(svg, dots, width) {
  const height = svg.viewBox.baseVal.height, taken = dots.map(({x, y}) => [x - 5, y - 5, x + 5, y + 5]);
  const free = ([left, top, right, bottom]) => left > 58 && right < width - 4 && top > 22 && bottom < height - 44 && taken.every(([l, t, r, b]) => right < l || left > r || bottom < t || top > b);
  for (const {text: words, x, y} of dots) {
    const long = textWidth(words, 11), box = [[x + 9, y - 7], [x - 9 - long, y - 7], [x - long / 2, y - 21], [x - long / 2, y + 8]].map(([left, top]) => [left, top, left + long, top + 14]).find(free);
    if (!box) continue;
    taken.push(box);
    const made = document.createElementNS("http://www.w3.org/2000/svg", "text");
    for (const [key, value] of Object.entries({x: box[0], y: box[1] + 11, "font-size": 11, "text-anchor": "start", fill: "var(--fg)", stroke: "var(--bg)", "stroke-width": 3, "paint-order": "stroke", class: "named"})) made.setAttribute(key, value);
    made.textContent = words;
    svg.append(made);
  }
}

// {id, name, x, y, size, color, parts, choose: [name], choose_color: [name], front: [row], faint, log, lines: [[[x, y]]], line_parts, level, title, tip}
export function scatter(of, frame) {
  const {id, name: what, size, parts: given, choose, choose_color: chooseColor, log, lines, line_parts: lineParts, level} = of;
  let {x, y, color} = of, again = () => {};
  const front = new Set(of.front), faint = of.faint ? frame.of(of.faint).values : null;
  const colorings = chooseColor.filter((each) => new Set(frame.of(each).values).size <= kChoices);
  const key = element("div"), controls = element("div", {className: "controls"});
  const offer = (label, names, now, set) => controls.append(choice(label, names, Math.max(0, names.indexOf(now)), (at) => { set(at); again(); }));
  if (choose.length > 0) {
    offer("Across", choose, x, (at) => (x = choose[at]));
    offer("Up", choose, y, (at) => (y = choose[at]));
  }
  if (colorings.length > 0) offer("Colour", ["the Pareto front", ...colorings], "", (at) => (color = at === 0 ? "" : colorings[at - 1]));
  const drawn = colored(lineParts), r = radius(frame, size, size ? 2.5 : frame.count > 2000 ? 2 : 3, 13);
  again = chart(id, {
    name: what,
    before: [controls, key],
    render(width) {
      const across = frame.of(x), up = frame.of(y), known = frame.rows.filter((i) => across.values[i] !== null && up.values[i] !== null);
      const rows = [...known.filter((i) => !front.has(i)), ...known.filter((i) => front.has(i))]; // the front last, on top
      const parts = color ? frame.parts(color, given) : [{name: "on the front", color: "var(--accent)", note: whole(front.size)}, {name: "beaten, or outside the constraints", color: "var(--cloud)", note: whole(known.length - front.size)}];
      const colors = color ? frame.colors(color, given) : frame.rows.map((i) => (front.has(i) ? "var(--accent)" : "var(--cloud)"));
      const several = color && !of.faint ? [{name: "darker", color: "var(--dim)", note: "several of equal figures"}] : [];
      key.replaceChildren(legend([...parts, ...several, ...drawn]));
      const edge = of.front.filter((i) => across.values[i] !== null && up.values[i] !== null).sort((a, b) => across.values[a] - across.values[b] || up.values[a] - up.values[b]);
      const sx = scaleOf(across, rows, log), sy = scaleOf(up, rows, log);
      for (const [px, py] of lines.flat()) { // as far as the lines bend
        sx.domain = [sx.domain[0], Math.max(sx.domain[1], px)];
        sy.domain = [sy.domain[0], Math.max(sy.domain[1], py * 1.3)];
      }
      if (level) sy.domain = [Math.min(sy.domain[0], level / 1.15), Math.max(sy.domain[1], level * 1.15)];
      const tick = ({form}) => (form === "time" ? (v) => preciseTime(v, 2) : form === "ratio" ? (v) => `×${tickLabel(v)}` : tickLabel);
      const svg = draw({
        width, height: Math.max(330, Math.min(500, width * 0.48)), marginLeft: 58, marginRight: 18, marginTop: 22, marginBottom: 44, x: sx, y: sy, r: {type: "identity"},
        marks: [
          gridX({ticks: width / 100}), gridY({ticks: 6}), axisX({ticks: width / 150, tickFormat: tick(across)}), axisY({ticks: 6, tickFormat: tick(up)}), level ? ruleY([level], {stroke: "var(--fg)"}) : null,
          ...lines.map((each, i) => line(each.map(([px, py]) => [Math.max(px, sx.domain[0]), px < sx.domain[0] ? (py * sx.domain[0]) / px : py]), {stroke: drawn[i].color, strokeWidth: 1.5, strokeDasharray: "5,4", clip: true})),
          color ? null : line(edge, {x: (i) => across.values[i], y: (i) => up.values[i], stroke: "var(--accent)", strokeOpacity: 0.45}),
          dot(rows, {x: (i) => across.values[i], y: (i) => up.values[i], r: (i) => (front.has(i) ? 5 : r(i)), fill: (i) => colors[i], fillOpacity: (i) => (front.has(i) ? 0.9 : faint?.[i] === "not met" ? 0.12 : color ? 0.3 : 0.45), stroke: (i) => (front.has(i) ? "var(--bg)" : of.faint ? "none" : colors[i]), strokeWidth: 1.2, sort: null, className: "dots"}),
        ],
      });
      name(svg, "dots", rows.map((i) => (of.faint ? String(i) : frame.title(of, i))));
      const px = svg.scale("x"), py = svg.scale("y");
      label(svg, of.front.map((i, at) => [of.front_names[at], i]).filter(([text, i]) => text && across.values[i] !== null && up.values[i] !== null).map(([text, i]) => ({text, x: px.apply(across.values[i]), y: py.apply(up.values[i])})), width);
      return {svg, points: rows.map((i) => ({x: px.apply(across.values[i]), y: py.apply(up.values[i]), title: frame.title(of, i) + (front.has(i) ? ", on the front" : ""), rows: () => [...new Map([...frame.tip(of, i), [x, shown(across.form)(across.values[i])], [y, shown(up.form)(up.values[i])]])]})).reverse()};
    },
  });
}

// Dots that would lie on each other, moved apart across their strip: the same way each time.
const kGolden = 0.6180339887498949;
const spread = (i, pixels) => (((i * kGolden) % 1) - 0.5) * pixels;

// {id, name, label, x: value, y: strip, size, color, parts, intervals: [{row, name, low, mean, high}], title, tip}: a strip a value of the series y.
export function dots(of, frame) {
  const {id, name: what, label, x: value, y: row, size, color, parts: given, intervals} = of;
  const at = frame.of(value).values, strip = frame.of(row).values, names = [...new Set(strip)], several = names.length < frame.count;
  const colors = frame.colors(color, given), r = radius(frame, size, size ? 2.5 : 4, 9), jitter = several ? 36 : 0;
  const below = names.map((each) => intervals.filter((one) => one.row === each && one.name)), kinds = Math.max(0, ...below.map((each) => each.length));
  const ends = [...at, ...intervals.flatMap(({low, high}) => [low, high]), 0], low = Math.min(...ends), high = Math.max(...ends), room = Math.max(1e-6, high - low) * 0.04;
  chart(id, {
    name: what,
    before: keyed(frame.parts(color, given)),
    render(width) {
      const longest = Math.ceil(Math.max(...names.map((each) => textWidth(each)))), beside = longest < 60 || width >= 700, left = beside ? longest + 14 : 24;
      const band = several ? 64 + 16 * kinds : beside ? 22 : 38, middle = several ? -8 * kinds : beside ? 0 : 8;
      const pixels = (share) => (share / (high - low + 2 * room)) * (width - left - 12) - 8;
      // An interval with a name stands below the dots, its note after it or before it, where there is more room.
      const notes = below.flatMap((each) => each.map((one, i) => {
        const after = pixels(high + room - one.high), before = pixels(one.low - low + room), words = `${one.name} ${signedPercent(one.mean)}`, most = Math.max(after, before), ahead = after < before && after < textWidth(words, 11);
        return {...one, i, dy: middle + 26 + 16 * i, ahead, note: textWidth(words, 11) < most ? words : textWidth(one.name, 11) < most ? one.name : ""};
      }));
      const svg = draw({
        width, height: band * names.length + 50, marginLeft: left, marginRight: 12, marginTop: 6, marginBottom: 42, r: {type: "identity"},
        x: {domain: [low - room, high + room], label, tickFormat: tickOf("change", high - low), ticks: Math.max(3, width / 130), grid: true}, y: {type: "band", domain: names, axis: null, padding: 0},
        marks: [
          link(intervals.filter((one) => !one.name), {x1: "low", x2: "high", y: "row", dy: middle, stroke: "var(--rule)", strokeWidth: 7, strokeLinecap: "round"}),
          ruleX([0], {stroke: "var(--fg)"}),
          ...notes.flatMap((one) => [
            link([one], {x1: "low", x2: "high", y: "row", dy: one.dy, stroke: one.i === 0 ? "var(--fg)" : "var(--dim)", strokeWidth: 2, strokeDasharray: one.i === 0 ? null : "4,3"}),
            dot([one], {x: "mean", y: "row", dy: one.dy, symbol: "diamond", r: 5, fill: one.i === 0 ? "var(--fg)" : "var(--bg)", stroke: one.i === 0 ? "var(--fg)" : "var(--dim)"}),
            text([one], {x: one.ahead ? "low" : "high", y: "row", dy: one.dy, dx: one.ahead ? -6 : 6, textAnchor: one.ahead ? "end" : "start", text: "note", fontSize: 11, fill: "var(--dim)", stroke: "var(--bg)", strokeWidth: 3}),
          ]),
          dot(frame.rows, {x: (i) => at[i], y: (i) => strip[i], dy: middle, r, fill: (i) => colors[i], fillOpacity: several ? 0.35 : 1, stroke: (i) => (several ? colors[i] : "var(--bg)"), strokeWidth: 1.2, sort: null, className: "dots"}),
          text(names, {frameAnchor: "left", y: (each) => each, text: (each) => fitted(each, beside ? left : width - 40), textAnchor: beside ? "end" : "start", dx: beside ? -8 : 0, dy: beside ? middle : -9}),
        ],
      });
      svg.querySelectorAll(".dots > *").forEach((mark, i) => (mark.style.translate = `0 ${spread(i, jitter)}px`));
      name(svg, "dots", frame.rows.map((i) => frame.title(of, i)));
      const x = svg.scale("x"), y = svg.scale("y");
      return {svg, points: frame.rows.map((i) => ({x: x.apply(at[i]), y: y.apply(strip[i]) + y.bandwidth / 2 + middle + spread(i, jitter), title: frame.title(of, i), rows: () => frame.tip(of, i)}))};
    },
  });
}
