// A training: what its iterations take, epoch by epoch.
import {axisX, axisY, gridY, rect, ruleY} from "@observablehq/plot";
import {chart, draw, legend, name} from "./chart.js";
import {time, unitOfTime, whole} from "./format.js";
import {colorOf} from "./kinds.js";
import {enhanceTables} from "./table.js";

export function trainPage(data) {
  const {epochs, levels, fp32_seconds: fp32} = data;
  const color = ({level}) => colorOf(levels.indexOf(level));
  const met = levels.filter((level) => epochs.some((epoch) => epoch.level === level));
  const [unit, word] = unitOfTime(Math.max(fp32, ...epochs.map(({seconds}) => seconds)));
  chart("course", {
    name: "What an iteration takes in each epoch, and in FP32",
    before: [legend([...met.map((level) => ({name: level, color: colorOf(levels.indexOf(level))})), {name: "FP32 alone", color: "var(--cloud)"}])],
    render(width) {
      const height = Math.max(260, Math.min(380, width * 0.4)), gap = width / Math.max(epochs.length, 1) > 6 ? 0.5 : 0;
      const svg = draw({
        width, height, marginLeft: 54, marginRight: 16, marginTop: 22, marginBottom: 44,
        x: {label: "epoch", domain: [0, Math.max(epochs.length, 1)]}, y: {label: `an iteration, ${word}`, domain: [0, 1.06 * Math.max(fp32, ...epochs.map(({seconds}) => seconds)) / unit]},
        marks: [
          gridY({ticks: 6}), axisX({ticks: Math.max(2, width / 90), tickFormat: whole}), axisY({ticks: 6}),
          rect(epochs, {x1: "epoch", x2: ({epoch}) => epoch + 1, y1: 0, y2: ({seconds}) => seconds / unit, fill: color, insetLeft: gap, insetRight: gap, sort: null, className: "bars"}),
          ruleY([fp32 / unit], {stroke: "var(--cloud)", strokeWidth: 2}),
        ],
      });
      name(svg, "bars", epochs.map(({epoch}) => String(epoch)));
      const x = svg.scale("x"), y = svg.scale("y");
      return {svg, points: epochs.map((of) => ({
        x: x.apply(of.epoch), width: x.apply(of.epoch + 1) - x.apply(of.epoch), y: y.apply(of.seconds / unit), height: y.apply(0) - y.apply(of.seconds / unit), title: `Epoch ${of.epoch}`,
        rows: () => [["level", of.level], ["lowered", whole(of.lowered)], ["an iteration", time(of.seconds)], ["hours", of.hours.toFixed(3)]],
      }))};
    },
  });
  enhanceTables();
}
