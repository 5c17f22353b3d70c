import {start} from "./chart.js";
import {clusterPage} from "./cluster.js";
import {comparePage} from "./compare.js";
import {dsePage} from "./dse.js";
import {ladders} from "./ladder.js";
import {runPage} from "./run.js";
import {sweepPage} from "./sweep.js";
import {enhanceTables} from "./table.js";
import {timelinePage} from "./timeline.js";
import {trainPage} from "./train.js";
import {linkPage, validatePage} from "./validate.js";

const pages = {run: runPage, compare: comparePage, timeline: timelinePage, train: trainPage, sweep: sweepPage, validate: validatePage, link: linkPage, dse: dsePage, cluster: clusterPage, explain: explainPage};

function explainPage(data) {
  ladders(data);
  enhanceTables();
}

start();
pages[document.body.dataset.kind](JSON.parse(document.getElementById("weft-data").textContent));
document.documentElement.dataset.ready = "1"; // all charts are drawn
