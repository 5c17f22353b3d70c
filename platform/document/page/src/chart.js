// A chart in its place on the page: drawn to the width that there is, again when that changes, and readable by pointer
// and by keyboard alike: one tip, of one mark at a time.
import {plot as observablePlot} from "@observablehq/plot";

const kFont = {background: "transparent", color: "currentColor", fontSize: "12px", fontFamily: "inherit"};
const kNear = 48; // pixels from which a pointer still finds a mark without an extent

// Observable Plot in the style of the page. Marks may be named for tests and tips: names(svg, ".class", keys).
export function draw(options) {
  const figure = observablePlot({...options, style: kFont});
  for (const group of figure.querySelectorAll("[aria-label], [aria-description]")) {
    group.removeAttribute("aria-label");
    group.removeAttribute("aria-description");
  }
  figure.setAttribute("aria-hidden", "true");
  return figure;
}

// The marks of a class, in the order of their data, get what they stand for.
export function name(svg, className, keys) {
  const marks = svg.querySelectorAll(`.${className} > *`);
  if (marks.length !== keys.length) throw new Error(`${className}: ${marks.length} marks, not ${keys.length}`);
  marks.forEach((mark, i) => mark.setAttribute("data-key", keys[i]));
}

export function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

// [{name, color, note}]
export function legend(entries) {
  const list = element("ul", {className: "legend"});
  for (const {name, color, note} of entries) {
    const swatch = element("i");
    swatch.style.background = color;
    list.append(element("li", {}, swatch, element("b", {textContent: name}), note ? element("span", {textContent: note}) : null));
  }
  return list;
}

const tip = element("div", {id: "tip"});
tip.setAttribute("role", "status");

// {title, rows: [[label, text]]}
function showTip({title, rows = []}, x, y) {
  const body = element("tbody");
  for (const [label, text] of rows) {
    body.append(element("tr", {}, element("td", {textContent: label}), element("td", {textContent: text})));
  }
  const table = element("table", {}, body);
  table.setAttribute("role", "presentation");
  tip.replaceChildren(element("strong", {textContent: title}), table);
  const {width, height} = tip.getBoundingClientRect();
  const right = document.documentElement.clientWidth - width - 8;
  tip.style.left = `${scrollX + Math.max(8, Math.min(x + 14, right))}px`;
  tip.style.top = `${scrollY + (y + 18 + height > innerHeight ? Math.max(4, y - height - 14) : y + 18)}px`;
}
function hideTip() {
  tip.replaceChildren();
}

const kStep = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, PageDown: 10, PageUp: -10};

// Where the pixels of an svg lie on the screen: it may be scaled.
function scaleOf(svg) {
  const box = svg.getBoundingClientRect();
  const wide = svg.viewBox.baseVal.width || box.width;
  return {left: box.left, top: box.top, k: box.width / wide || 1};
}

class Reading {
  constructor(holder) {
    this.holder = holder;
    this.at = -1;
    holder.addEventListener("pointermove", (event) => this.point(event));
    holder.addEventListener("pointerleave", () => this.hide());
    holder.addEventListener("blur", () => this.hide());
    holder.addEventListener("keydown", (event) => this.key(event));
  }
  // points: [{x, y, width?, height?, title, rows()}] in pixels of the svg; x and y the corner of those with an extent.
  read(svg, points) {
    this.svg = svg;
    this.points = points;
    this.at = -1;
    this.ring = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    for (const [key, value] of Object.entries({fill: "none", stroke: "var(--fg)", "stroke-width": 1.5, rx: 2, visibility: "hidden", "pointer-events": "none"})) {
      this.ring.setAttribute(key, value);
    }
    svg.append(this.ring);
  }
  nearest(x, y) {
    let best = -1, least = kNear * kNear;
    for (let i = 0; i < this.points.length; ++i) {
      const {x: left, y: top, width = 0, height = 0} = this.points[i];
      const dx = Math.max(left - x, 0, x - left - width), dy = Math.max(top - y, 0, y - top - height);
      const distance = dx * dx + dy * dy;
      if (distance < least) {
        best = i;
        least = distance;
        if (distance === 0 && width > 0) break;
      }
    }
    return best;
  }
  point(event) {
    if (!this.svg?.isConnected) return;
    const {left, top, k} = scaleOf(this.svg);
    const at = this.nearest((event.clientX - left) / k, (event.clientY - top) / k);
    if (at < 0) return this.hide();
    this.show(at, event.clientX, event.clientY);
  }
  key(event) {
    if (event.target !== this.holder || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    const last = this.points.length - 1;
    if (last < 0) return;
    if (event.key === "Escape") return this.hide();
    let at = event.key === "Home" ? 0 : event.key === "End" ? last : event.key in kStep ? this.at + kStep[event.key] : null;
    if (at === null) return;
    event.preventDefault();
    at = this.at < 0 && event.key !== "End" ? 0 : Math.max(0, Math.min(last, at));
    const {left, top, k} = scaleOf(this.svg);
    const {x, y, width = 0, height = 0} = this.points[at];
    this.show(at, left + k * (x + width / 2), top + k * (y + height));
  }
  show(at, x, y) {
    const {x: left, y: top, width = 0, height = 0, title, rows} = this.points[at];
    if (at !== this.at) {
      const pad = width > 0 ? 0.5 : 6;
      this.ring.setAttribute("x", left - pad);
      this.ring.setAttribute("y", top - pad);
      this.ring.setAttribute("width", width + 2 * pad);
      this.ring.setAttribute("height", height + 2 * pad);
      this.ring.setAttribute("rx", width > 0 ? 1 : 6);
      this.ring.setAttribute("visibility", "visible");
      this.at = at;
    }
    showTip({title, rows: rows()}, x, y);
  }
  hide() {
    this.at = -1;
    this.ring?.setAttribute("visibility", "hidden");
    hideTip();
  }
}

// Draws into the place of a section. `render(width)` gives {svg, points}; `before` and `after` stand around it. Returns
// what draws it again. `name`: what it shows, in a few words.
export function chart(id, {name, before = [], after = [], render}) {
  const place = document.querySelector(`[data-chart="${id}"]`);
  if (!place) return () => {};
  const holder = element("div", {className: "plot", tabIndex: 0});
  holder.setAttribute("role", "group");
  holder.setAttribute("aria-roledescription", "chart");
  holder.setAttribute("aria-label", `${name}. Arrow keys read it value by value.`);
  place.append(...before, holder, ...after);
  const reading = new Reading(holder);
  let drawn = 0;
  const again = () => {
    drawn = Math.floor(holder.clientWidth);
    if (drawn === 0) return;
    const {svg, points} = render(drawn);
    reading.hide();
    holder.replaceChildren(svg);
    reading.read(svg, points);
  };
  again();
  new ResizeObserver(() => {
    if (Math.floor(holder.clientWidth) !== drawn) again();
  }).observe(holder);
  return again;
}

export function start() {
  document.body.append(tip);
}

// A labelled choice; `changed` gets the index of what is chosen.
export function choice(label, names, chosen, changed) {
  const select = element("select");
  names.forEach((each, i) => select.append(element("option", {value: String(i), textContent: each, selected: i === chosen})));
  select.addEventListener("change", () => changed(Number(select.value)));
  return element("label", {}, label, select);
}
