// What each change gains, one on top of the other: a bar a step, split by what limits it then.
import {barX, ruleX, stackX, text} from "@observablehq/plot";
import {chart, draw, legend, name} from "./chart.js";
import {fitted, percent, textWidth, time, unitOfTime} from "./format.js";
import {colorOf} from "./kinds.js";

export function ladders(data) {
  for (const {id, lines, bounds} of data.ladders ?? []) {
    const shares = [...new Set(lines.flatMap((line) => line.shares.map((share) => share.name)))];
    const ends = bounds.filter(({of}) => of === bounds.at(-1).of);
    chart(id, {
      name: "Time after each kept change, split by what limits it",
      before: [legend(shares.map((share, i) => ({name: share, color: colorOf(i)})))],
      render(width) {
        const [size, unit] = unitOfTime(lines[0].seconds);
        const notes = lines.map(({seconds, gain}) => (gain === null ? time(seconds, 3) : `${time(seconds, 3)} · saves ${percent(gain)}`));
        const parts = lines.flatMap((line, at) => line.shares.map((share) => ({at, key: `${at}|${share.name}`, v: (share.of_time * line.seconds) / size, color: colorOf(shares.indexOf(share.name))})));
        const top = 8 + 15 * ends.length;
        const svg = draw({
          width, height: 44 * lines.length + top + 42, marginLeft: 12, marginRight: 24, marginTop: top, marginBottom: 42,
          x: {domain: [0, lines.reduce((most, {seconds}) => Math.max(most, seconds), 0) / size], label: unit, grid: true, ticks: Math.max(2, width / 110)}, y: {domain: lines.map((_, at) => at), axis: null, padding: 0},
          marks: [
            barX(parts, stackX({x: "v", y: "at", fill: "color", order: null, insetTop: 22, insetBottom: 5, className: "bars"})),
            ...ends.map(({name: of, seconds}, i) => [
              ruleX([seconds / size], {stroke: "var(--fg)", strokeDasharray: "4,3"}),
              text([seconds / size], {x: (d) => d, frameAnchor: "top", dy: -8 - 15 * (ends.length - 1 - i), lineAnchor: "bottom", dx: seconds / lines[0].seconds > 0.5 ? -3 : 3, textAnchor: seconds / lines[0].seconds > 0.5 ? "end" : "start", text: () => `no less by the ${of}: ${time(seconds, 3)}`, fill: "var(--dim)"}),
            ]).flat(),
            text(lines, {frameAnchor: "left", y: (_, at) => at, text: ({change}, at) => fitted(at === 0 ? change : `+ ${change}`, width - 60 - textWidth(notes[at])), textAnchor: "start", dx: 4, dy: -9, fontWeight: 600, stroke: "var(--bg)", strokeWidth: 3, fill: "var(--fg)"}),
            text(lines, {frameAnchor: "right", y: (_, at) => at, text: (_, at) => notes[at], textAnchor: "end", dx: -4, dy: -9, stroke: "var(--bg)", strokeWidth: 3, fill: "var(--dim)"}),
            ruleX([0], {stroke: "var(--fg)"}),
          ],
        });
        name(svg, "bars", parts.map(({key}) => key));
        const x = svg.scale("x"), y = svg.scale("y");
        return {svg, points: lines.map((line, at) => ({x: x.apply(0), width: x.apply(line.seconds / size) - x.apply(0), y: y.apply(at) + 22, height: y.bandwidth - 27, title: at === 0 ? line.change : `+ ${line.change}`,
          rows: () => [["time", time(line.seconds)], ...(line.gain === null ? [] : [["saves", `${percent(line.gain, 2)} of the time before`]]), ...line.shares.map((share) => [share.name, percent(share.of_time)])]}))};
      },
    });
  }
}
