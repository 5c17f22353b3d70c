// Tables: those of the HTML become sortable and searchable; long ones are made here, a page of rows at a time.
import {element} from "./chart.js";
import {value} from "./format.js";

const collator = new Intl.Collator("en", {numeric: true});
// What has no value comes last, in either direction.
function compare(a, b, sign) {
  const none = (v) => v === null || v === undefined || v === "";
  if (none(a) || none(b)) return none(a) - none(b);
  if (typeof a === "number" && typeof b === "number") return sign * (a - b);
  return sign * collator.compare(String(a), String(b));
}

// A heading that sorts: asks `sort(descending)`, and shows which way.
function sortable(heading, numeric, headings, sort) {
  const button = element("button", {type: "button", textContent: heading.textContent});
  if (heading.title) button.title = heading.title;
  heading.removeAttribute("title");
  heading.replaceChildren(button);
  heading.setAttribute("aria-sort", "none");
  button.addEventListener("click", () => {
    const was = heading.getAttribute("aria-sort");
    const descending = was === "none" ? numeric : was === "ascending";
    for (const other of headings()) other.setAttribute("aria-sort", "none");
    heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
    sort(descending);
  });
}

// What is sought: every word, anywhere in the row.
const words = (text) => text.toLowerCase().split(/\s+/).filter(Boolean);

function searchBox(label, changed) {
  const input = element("input", {type: "search", placeholder: "any words of a row"});
  input.addEventListener("input", () => changed(words(input.value)));
  return {box: element("label", {}, label, input)};
}

// A table that stands in the HTML, with data-search. `more`: [{name, meaning, values}] that can be added as columns.
function enhance(table, more) {
  const body = table.tBodies[0], head = table.tHead.rows[0];
  const rows = [...body.rows].map((row, at) => ({row, at, text: row.textContent.toLowerCase()}));
  const headings = () => [...head.cells];
  const count = element("span", {className: "hint"});
  count.setAttribute("role", "status");
  const show = (sought) => {
    let shown = 0;
    for (const each of rows) {
      const match = sought.every((word) => each.text.includes(word));
      each.row.hidden = !match;
      shown += match;
    }
    count.textContent = shown === rows.length ? `${rows.length} rows` : `${shown} of ${rows.length} rows`;
  };
  const keyOf = (heading) => ({row}) => {
    const cell = row.cells[heading.cellIndex];
    return cell.dataset.v !== undefined ? Number(cell.dataset.v) : cell.textContent;
  };
  const prepare = (heading) => sortable(heading, heading.classList.contains("n"), headings, (descending) => {
    const key = keyOf(heading), sign = descending ? -1 : 1;
    const sorted = rows.map((each) => ({each, key: key(each)}));
    sorted.sort((a, b) => compare(a.key, b.key, sign) || a.each.at - b.each.at);
    body.append(...sorted.map(({each}) => each.row));
  });
  headings().forEach(prepare);
  const {box} = searchBox("Search", show);
  show([]);
  const holder = table.parentElement;
  if (rows.length > 20) holder.classList.add("tall");
  holder.before(element("div", {className: "controls"}, box, count));
  if (more.length === 0) return;
  const choices = element("div", {className: "choices"});
  for (const {name, meaning, values, numeric} of more) {
    const tick = element("input", {type: "checkbox"});
    let heading = null;
    tick.addEventListener("change", () => {
      if (!tick.checked) {
        const at = heading.cellIndex;
        heading.remove();
        for (const {row} of rows) row.deleteCell(at);
        return;
      }
      heading = element("th", {scope: "col", title: meaning, textContent: name, className: numeric ? "n" : ""});
      head.append(heading);
      for (const each of rows) {
        const v = values[each.at];
        const cell = element("td", {textContent: value(v), className: numeric ? "n" : ""});
        if (typeof v === "number") cell.dataset.v = String(v);
        each.row.append(cell);
      }
      prepare(heading);
    });
    choices.append(element("label", {title: meaning}, tick, name));
  }
  choices.tabIndex = 0;
  choices.setAttribute("role", "group");
  choices.setAttribute("aria-label", "Further columns");
  holder.before(element("details", {}, element("summary", {textContent: `Further columns (${more.length})`}), choices));
}

// All tables with data-search, and the folded ones closed. `more`: series that a table with data-more can take.
export function enhanceTables(more) {
  for (const table of document.querySelectorAll("table[data-search]")) enhance(table, "more" in table.dataset ? more : []);
  for (const folded of document.querySelectorAll("details[data-fold]")) folded.open = false;
  // On paper everything is open.
  const closed = [];
  addEventListener("beforeprint", () => {
    for (const folded of document.querySelectorAll("main details[data-fold]:not([open])")) {
      folded.open = true;
      closed.push(folded);
    }
  });
  addEventListener("afterprint", () => {
    for (const folded of closed.splice(0)) folded.open = false;
  });
}

const kRows = 50;

// A table of many rows in the place of a section's chart. columns: [{name, meaning, values, numeric}].
export function longTable(id, caption, columns, count) {
  const place = document.querySelector(`[data-chart="${id}"]`);
  if (!place) return;
  let order = Array.from({length: count}, (_, i) => i), shown = order, first = 0;
  let texts = null; // of the rows, in lower case, once someone seeks
  const body = element("tbody"), head = element("tr");
  const status = element("span", {className: "hint"});
  status.setAttribute("role", "status");
  const button = (text, step) => {
    const made = element("button", {type: "button", textContent: text});
    made.addEventListener("click", () => turn(first + step));
    return made;
  };
  const previous = button("Previous", -kRows), next = button("Next", kRows);
  const turn = (to) => {
    first = Math.max(0, Math.min(to, Math.floor(Math.max(0, shown.length - 1) / kRows) * kRows));
    body.replaceChildren(...shown.slice(first, first + kRows).map((row) => {
      const line = element("tr");
      columns.forEach(({values, numeric}, i) => {
        const cell = element(i === 0 ? "th" : "td", {textContent: value(values[row]), className: numeric ? "n" : ""});
        if (i === 0) cell.scope = "row";
        line.append(cell);
      });
      return line;
    }));
    const last = Math.min(first + kRows, shown.length);
    status.textContent = shown.length === 0 ? "no row" : `${first + 1} to ${last} of ${shown.length}`;
    previous.disabled = first === 0;
    next.disabled = last === shown.length;
  };
  let sought = [];
  const seek = () => {
    if (sought.length === 0) {
      shown = order;
    } else {
      texts ??= Array.from({length: count}, (_, row) => columns.map(({values}) => String(values[row] ?? "")).join(" ").toLowerCase());
      shown = order.filter((row) => sought.every((word) => texts[row].includes(word)));
    }
    turn(0);
  };
  for (const {name, meaning, values, numeric} of columns) {
    const heading = element("th", {scope: "col", title: meaning ?? "", textContent: name, className: numeric ? "n" : ""});
    head.append(heading);
    sortable(heading, numeric, () => [...head.cells], (descending) => {
      const sign = descending ? -1 : 1;
      order = Array.from({length: count}, (_, i) => i).sort((a, b) => compare(values[a], values[b], sign) || a - b);
      seek();
    });
  }
  const {box} = searchBox("Search", (found) => {
    sought = found;
    seek();
  });
  const table = element("table", {}, element("caption", {textContent: caption}), element("thead", {}, head), body);
  const scroll = element("div", {className: "scroll tall", tabIndex: 0}, table);
  scroll.setAttribute("role", "group");
  scroll.setAttribute("aria-label", caption);
  place.append(element("div", {className: "controls"}, box, previous, next, status), scroll);
  turn(0);
}
