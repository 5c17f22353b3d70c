// Bundles src/page.js with Observable Plot into page.min.js, and writes the licences of what went into it.
import {build} from "esbuild";
import {readdirSync, readFileSync, writeFileSync} from "node:fs";
import {dirname, join} from "node:path";

const bundled = await build({
  entryPoints: ["src/page.js"],
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  charset: "utf8",
  legalComments: "none", // LICENSES.txt has them whole
  metafile: true,
  write: false,
});
// Inside <script> nothing may end it or open a comment.
const script = bundled.outputFiles[0].text.trim().replace(/<(?=\/script|!--)/gi, "\\x3c");
writeFileSync("page.min.js", script + "\n");

// node_modules/@scope/name/... or node_modules/name/...
const folders = new Set();
for (const [path, {bytesInOutput}] of Object.entries(Object.values(bundled.metafile.outputs)[0].inputs)) {
  const found = /^(node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path);
  if (found && bytesInOutput > 0) folders.add(found[1]);
}
const texts = new Map(); // licence -> the packages that it is of
for (const folder of [...folders].sort()) {
  const {name, version} = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  if (!file) throw new Error(`${name} has no licence file in ${dirname(folder)}`);
  const text = readFileSync(join(folder, file), "utf8").replace(/\r/g, "").trim();
  texts.set(text, [...(texts.get(text) ?? []), `${name} ${version}`]);
}
writeFileSync("LICENSES.txt", [...texts].map(([text, names]) => `${names.join(", ")}\n\n${text}\n`).join("\n---\n\n"));
