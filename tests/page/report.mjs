// The program under test, and its CSV tables.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const folder = mkdtempSync(join(tmpdir(), "gable-page-"));
const [program, ...words] = process.argv.slice(3);

export function gable(args, environment = {}) {
  return spawnSync(program, [...words, ...args], { encoding: "utf8", maxBuffer: 1 << 28, env: { ...process.env, ...environment } });
}
export const run = (args, environment = {}) => gable(["report", ...args], environment);

export function pageOf(files, name, more = []) {
  const output = join(folder, name);
  const done = run([...files, "--output", output, ...more]);
  if (done.status !== 0) throw new Error(`report ${files.join(" ")}: ${done.stderr}`);
  return output;
}

/** Rows of a CSV table, by column. */
export function table(files, name) {
  const done = run([...files, "--table", name]);
  if (done.status !== 0) throw new Error(done.stderr);
  const cells = [[""]];
  let quoted = false;
  for (let i = 0, text = done.stdout; i < text.length; i += 1) {
    const row = cells[cells.length - 1], c = text[i];
    if (c === '"' && quoted && text[i + 1] === '"') { row[row.length - 1] += '"'; i += 1; }
    else if (c === '"') quoted = !quoted;
    else if (c === "," && !quoted) row.push("");
    else if (c === "\n" && !quoted) cells.push([""]);
    else if (c !== "\r") row[row.length - 1] += c;
  }
  const [head, ...rows] = cells.filter((row) => row.length > 1);
  return rows.map((row) => Object.fromEntries(head.map((key, index) => [key, row[index]])));
}

const prefixes = { E: 1e18, P: 1e15, T: 1e12, G: 1e9, M: 1e6, k: 1e3, "": 1, m: 1e-3, "µ": 1e-6, n: 1e-9, p: 1e-12 };
/** "1.234 TFLOP/s" as a number in flop/s. */
export function number(text) {
  const found = /^([0-9.]+(?:e-?[0-9]+)?)\s*([EPTGMkmµnp]?)(FLOP\/s|FLOP|op\/s|B\/s|B|s|Hz|%|×|)$/.exec(text.trim());
  if (!found) throw new Error(`'${text}' is no figure`);
  return Number(found[1]) * prefixes[found[2]] * (found[3] === "%" ? 0.01 : 1);
}
export const read = (file) => readFileSync(file, "utf8");
