// Figures as people read them.

const prefixes = [[1e18, "E"], [1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"],
  [1e-6, "µ"], [1e-9, "n"], [1e-12, "p"]];
const names = { "flop/s": "FLOP/s", "op/s": "op/s", "byte/s": "B/s", byte: "B", s: "s", Hz: "Hz", flop: "FLOP", W: "W" };

/** Four digits at most, without zeros at the end. */
export function digits(value, count = 4) {
  if (value === undefined || value === null || !Number.isFinite(value)) return "";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return value.toExponential(count - 1).replace(/\.?0+e/, "e").replace("e+", "e");
  return String(Number(value.toPrecision(count)));
}

/** "1.234 TFLOP/s". */
export function quantity(value, unit, count = 4) {
  if (value === undefined || value === null || !Number.isFinite(value)) return "";
  if (value === 0) return `0 ${names[unit] ?? unit}`;
  if (!(unit in names)) return `${digits(value, count)} ${unit}`.trim();
  const size = Number(Math.abs(value).toPrecision(count));
  const [factor, prefix] = prefixes.find(([least]) => size >= least) ?? prefixes[prefixes.length - 1];
  return `${digits(value / factor, count)} ${prefix}${names[unit]}`;
}

/** Of a tick: "100 G", the unit stands at the axis. */
export function tick(value) {
  const [factor, prefix] = prefixes.find(([least]) => value >= least * 0.999999) ?? prefixes[prefixes.length - 1];
  return `${Number((value / factor).toPrecision(3))}${prefix ? ` ${prefix}` : ""}`;
}

export const percent = (fraction, count = 3) =>
  (fraction === undefined || fraction === null ? "" : `${digits(100 * fraction, count)} %`);
export const times = (factor) => `${digits(factor, 3)}×`;
export const words = (name) => String(name ?? "").replaceAll("_", " ");

/** One line: of names that others chose, control characters and those that turn the direction of writing are left out,
    and what is longer than `most` is cut. */
export function plain(text, most = 200) {
  const clean = String(text ?? "").replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g, " ");
  return clean.length > most ? `${clean.slice(0, most - 1)}…` : clean;
}
