import {bars, columns, lines, strips} from "./bars.js";
import {start} from "./chart.js";
import {Frame} from "./frame.js";
import {lanes} from "./lanes.js";
import {parallel} from "./parallel.js";
import {dots, scatter} from "./points.js";
import {enhanceTables, longTable} from "./table.js";

const kinds = {bars, columns, lines, strips, scatter, dots, lanes, parallel, rows: ({id, name, columns: of}, frame) => longTable(id, name, of.map((each) => frame.of(each)), frame.count)};

start();
const data = JSON.parse(document.getElementById("weft-data").textContent);
const frame = new Frame(data.frame);
for (const each of data.charts) kinds[each.kind](each, frame);
enhanceTables(frame.series);
document.documentElement.dataset.ready = "1"; // all charts are drawn
