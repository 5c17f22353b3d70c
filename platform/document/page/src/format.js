// Numbers as people read them, with units.

const plain = new Intl.NumberFormat("en", {maximumFractionDigits: 0});
export const whole = (n) => plain.format(n);
export const percent = (share, digits = 1) => `${(100 * share).toFixed(digits)}%`;
export const signedPercent = (share, digits = 2) => `${share < 0 ? "-" : "+"}${Math.abs(100 * share).toFixed(digits)}%`;

const kPrefixes = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]];
// 60791777808 -> "60.8 G"; three digits.
export function short(n) {
  for (const [size, prefix] of kPrefixes) {
    if (Math.abs(n) >= 0.9995 * size) return `${Number((n / size).toPrecision(3))} ${prefix}`;
  }
  return String(Number(n.toPrecision(3)));
}

const kTimes = [[1, "s"], [1e-3, "ms"], [1e-6, "us"], [1e-9, "ns"], [1e-12, "ps"]];
export const unitOfTime = (seconds) => kTimes.find(([size]) => Math.abs(seconds) >= size) ?? (seconds === 0 ? kTimes[0] : kTimes[4]);
export function preciseTime(seconds, digits) {
  const [size, unit] = unitOfTime(seconds);
  return `${Number((seconds / size).toPrecision(digits))} ${unit}`;
}
// As duration_text of the program (model/core/text.cpp), which writes the times of tables.
const kDurations = [[1e-3, 1e-6, 1, "us"], [1, 1e-3, 2, "ms"], [120, 1, 2, "s"], [7200, 60, 1, "min"], [Infinity, 3600, 1, "h"]];
export function time(seconds) {
  const [, size, digits, unit] = kDurations.find(([below]) => Math.abs(seconds) < below);
  return `${(seconds / size).toFixed(digits)} ${unit}`;
}
const bytes = (n) => `${short(n)}B`;

// Any value of a table of results.
export function value(v) {
  if (v === null || v === undefined) return "";
  if (typeof v !== "number") return String(v);
  return Number.isInteger(v) ? whole(v) : String(Number(v.toPrecision(6)));
}

// By the form of a series: its values in full, and those of an axis that spans so much.
const kForms = {time, bytes: (n) => `${whole(n)} (${bytes(n)})`, share: (v) => percent(v, 2), change: (v) => signedPercent(v, 3), ratio: (v) => `×${Number(v.toPrecision(4))}`};
export const shown = (form) => (v) => (typeof v === "number" ? (kForms[form] ?? value)(v) : value(v));
const digitsFor = (span) => (span < 0.004 ? 3 : span < 0.1 ? 1 : 0);
export const tickOf = (form, span) => (form === "share" ? (v) => percent(v, digitsFor(span)) : form === "change" ? (v) => (Math.abs(v) < 1e-12 ? "0" : signedPercent(v, digitsFor(span))) : short);
export const unitOf = (form, most) => (form === "time" ? unitOfTime(most) : [1, ""]);

const ruler = document.createElement("canvas").getContext("2d");
export function textWidth(text, px = 12, weight = 400) {
  ruler.font = `${weight} ${px}px ${getComputedStyle(document.body).fontFamily}`;
  return ruler.measureText(text).width;
}
// The text, or as much of its two ends as fits into so many pixels.
export function fitted(text, pixels, px = 12) {
  if (textWidth(text, px) <= pixels) return text;
  let low = 0, high = text.length;
  const cut = (kept) => `${text.slice(0, Math.ceil(kept / 2))}…${text.slice(text.length - Math.floor(kept / 2))}`;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (textWidth(cut(middle), px) <= pixels) low = middle; else high = middle - 1;
  }
  return cut(low);
}
