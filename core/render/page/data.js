// The plot data as it came with the page, with what the other parts look up.
import { plain } from "./units.js";
import { limits } from "./visible.js";

/** What makes two points of different devices the same work. */
const work = (point) => JSON.stringify([point.operator, point.implementation, point.dtype, point.accumulate, point.compute,
  point.params, point.manner ?? "", point.scope]);

const types = ["fp64", "fp32", "tf32", "fp16", "bf16"];
const typeOrder = (a, b) => (types.indexOf(a) + 1 || 99) - (types.indexOf(b) + 1 || 99) || a.localeCompare(b);

/** Rows out of columns, as core/render/page.cpp writes them. */
function rowsOf({ rows, columns }) {
  const list = Array.from({ length: rows }, () => ({}));
  for (const { key, values, texts } of columns) {
    for (let at = 0; at < rows; at += 1) if (values[at] !== null) list[at][key] = texts ? texts[values[at]] : values[at];
  }
  return list;
}

/** Flat roofs that a page opens with: the best unit of each type, and those that limit a point. */
function markUsed(data) {
  const best = new Map();
  const flat = data.roofs.filter((roof) => roof.kind === "compute"), group = (roof) => JSON.stringify([roof.device, roof.dtype, roof.at]);
  for (const roof of flat) best.set(group(roof), Math.max(best.get(group(roof)) ?? 0, roof.rate));
  for (const roof of flat) roof.used = roof.rate === best.get(group(roof)) || data.drawn.some((point) => limits(roof, point));
}

/** Types that a page opens with: those that points have, else those that all devices have. */
export function usedTypes(data) {
  const used = new Set(data.drawn.flatMap((point) => [point.dtype, point.compute]));
  if (used.size > 0) return data.types.filter((type) => used.has(type));
  const shared = data.types.filter((type) => data.devices.every((device) => data.roofs.some((roof) => roof.of === device && roof.dtype === type)));
  return shared.length > 0 ? shared : data.types;
}

export function read(data) {
  for (const list of ["points", "ceilings"]) data[list] = rowsOf(data[list]);
  data.devices.forEach((device, index) => {
    device.index = index;
    device.key = device.letter ?? "A";
    const file = device.facts?.find((fact) => fact.name === "file")?.value;
    device.said = plain([device.letter, device.name, file ? `(${file})` : ""].filter(Boolean).join(" "), 90);
    device.short = data.devices.length > 1 ? device.key : "";
  });
  const deviceOf = new Map(data.devices.map((device) => [device.id, device]));
  const known = (row) => {
    row.of = deviceOf.get(row.device);
    return row.of !== undefined;
  };
  for (const list of ["roofs", "ridges"]) data[list] = data[list].filter(known);
  for (const list of ["points", "ceilings", "curves"]) data[list].forEach(known);
  data.points.forEach((point, index) => {
    point.index = index;
    point.key = `${point.of ? point.of.key : "?"}~${point.id}`;
    point.work = work(point);
    point.name = plain([point.operator, point.dtype, point.implementation, point.manner].filter(Boolean).join(" "), 80);
  });
  data.roofs.forEach((roof, index) => {
    roof.index = index;
    roof.key = `${roof.of.key}~${roof.label}`;
    roof.at = roof.kind === "compute" ? roof.operating_point : roof.of.datasheet ? "datasheet" : "";
  });
  data.drawn = data.points.filter((point) => point.drawn && point.of);
  data.hasOwn = data.drawn.some((point) => point.own) && data.drawn.some((point) => !point.own);
  markUsed(data);
  data.byKey = new Map(data.points.map((point) => [point.key, point]));
  data.types = [...new Set([...data.roofs.map((roof) => roof.dtype), ...data.drawn.map((point) => point.dtype)])]
    .filter(Boolean).sort(typeOrder);
  data.operatingPoints = ["burst", "sustained", "library", "datasheet"]
    .filter((at) => data.roofs.some((roof) => roof.at === at));
  data.levels = [...new Set(data.roofs.filter((roof) => roof.kind === "bandwidth").map((roof) => roof.level))];
  return data;
}

/** Points of two devices that did the same work. */
export function pairs(data, from, to) {
  const before = new Map(data.drawn.filter((point) => point.of.key === from).map((point) => [point.work, point]));
  return data.drawn.filter((point) => point.of.key === to && before.has(point.work))
    .map((after) => ({ before: before.get(after.work), after, gain: before.get(after.work).time_s / after.time_s }));
}

/** Two runs of one device, so that a page of before and after opens with its arrows; nothing where there are others. */
export function beforeAndAfter(data) {
  const measured = data.devices.filter((device) => !device.datasheet);
  const [one, two] = measured;
  return measured.length === 2 && one.name === two.name && pairs(data, one.key, two.key).length > 0
    ? `${one.key}-${two.key}` : "";
}
