// Short lists of things in colours of their own.
import {legend} from "./chart.js";

const kColors = 8;
export const colorOf = (i) => `var(--k-${1 + (i % kColors)})`;
export const kindColor = (kinds, kind) => colorOf(kinds.indexOf(kind));
const kNames = {F: "F forward", GI: "GI grad-IFM", GW: "GW grad-weight"};
export const kindLegend = (kinds) => legend(kinds.map((kind, i) => ({name: kNames[kind] ?? kind, color: colorOf(i)})));

// Dots of a strip that would lie on each other, moved apart across it: the same way each time.
const kGolden = 0.6180339887498949;
export function spread(svg, className, indices, pixels) {
  svg.querySelectorAll(`.${className} > *`).forEach((mark, i) => {
    mark.style.translate = `0 ${spread.of(indices[i], pixels)}px`;
  });
}
spread.of = (i, pixels) => (((i * kGolden) % 1) - 0.5) * pixels;
