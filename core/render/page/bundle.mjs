// bundle.mjs OUTPUT: scripts and styles as one HTML file, with places for a title and for data. Its security policy names
// the hashes of both, so that nothing else runs, and allows no address at all.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const modules = new Set();
const here = dirname(fileURLToPath(import.meta.url));
const output = process.argv[2];
if (!output) {
  console.error("usage: bundle.mjs OUTPUT");
  process.exit(2);
}

const bundled = async (file) => {
  const result = await build({
    entryPoints: [join(here, file)], bundle: true, minify: true, write: false, format: "iife", target: "es2020",
    charset: "ascii", legalComments: "none", logLevel: "warning", metafile: true,
  });
  for (const input of Object.keys(result.metafile.inputs)) {
    const name = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1];
    if (name) modules.add(name);
  }
  return result.outputFiles[0].text.trim();
};
/** The licences of the modules, each text once, with the names of those that are under it. */
const licences = () => {
  const names = new Map();
  for (const name of [...modules].sort()) {
    const text = readFileSync(join(here, "node_modules", name, "LICENSE"), "utf8").trim();
    names.set(text, [...(names.get(text) ?? []), name]);
  }
  return [...names].map(([text, list]) => `${list.join(", ")}:\n\n${text}`).join("\n\n").replaceAll("--", "- -");
};
const hash = (text) => `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`;

const script = await bundled("main.js");
const style = await bundled("page.css");
for (const [name, text, end] of [["script", script, "</script"], ["style", style, "</style"]]) {
  if (text.toLowerCase().includes(end)) throw new Error(`the ${name} holds "${end}", which would end it`);
}
const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; img-src data: blob:; ` +
  "base-uri 'none'; form-action 'none'";
const parts = { POLICY: policy, STYLE: style, SCRIPT: script, LICENCES: licences() };
const page = readFileSync(join(here, "page.html"), "utf8").replace(/@(POLICY|STYLE|SCRIPT|LICENCES)@/g, (_, name) => parts[name]);
writeFileSync(output, page);
