// The rows that the charts of a page are of: series of values, one a row each, with a name and a form.
import {legend} from "./chart.js";
import {shown, short, value} from "./format.js";

const kColors = 8;
const colorOf = (i) => `var(--k-${1 + (i % kColors)})`;
// parts: [{name, color?, note?}]
export const colored = (parts) => parts.map((part, i) => ({...part, color: part.color ? `var(--${part.color})` : colorOf(i)}));

export class Frame {
  constructor(series) {
    this.series = series.map((each) => ({...each, numeric: each.values.every((v) => v === null || typeof v === "number")}));
    this.count = this.series[0]?.values.length ?? 0;
    this.rows = Array.from({length: this.count}, (_, i) => i);
  }
  of(name) {
    return this.series.find((each) => each.name === name);
  }
  // chart: {title, tip}, names of series
  title({title}, i) {
    return title.map((each) => value(this.of(each).values[i])).join(" ");
  }
  tip({tip}, i) {
    return tip.map((each) => this.of(each)).filter(({values}) => values[i] !== null && values[i] !== "").map(({name, form, values}) => [name, shown(form)(values[i])]);
  }
  // The parts of a chart that are coloured by a series: as it names them, else every value that there is.
  parts(name, given = []) {
    return colored(given.length > 0 ? given : [...new Set(this.of(name).values)].map((each) => ({name: value(each)})));
  }
  colors(name, given) {
    const parts = this.parts(name, given), color = new Map(parts.map((part) => [part.name, part.color]));
    return this.of(name).values.map((each) => color.get(value(each)));
  }
}

// The scale of an axis of Plot for values of a series; `log`: whatever they are.
export function scaleOf({name, values}, rows, log = false) {
  const known = rows.map((i) => values[i]), low = known.reduce((a, b) => Math.min(a, b), Infinity), high = known.reduce((a, b) => Math.max(a, b), -Infinity);
  if (low > 0 && (log || high / low > 20)) return {type: "log", domain: [low / 1.4, high * 1.4], label: name};
  return {type: "linear", domain: [Math.min(0, low), high * 1.06 || 1], label: name};
}
export const tickLabel = (v) => (Number.isInteger(v) && Math.abs(v) < 1e4 ? String(v) : short(v));
export const keyed = (parts) => (parts.length > 0 ? [legend(parts)] : []);
