// Curves: bandwidth against working set and what else was measured as one, time against one size, latencies, overheads.
import { element } from "./dom.js";
import { lineChart } from "./linechart.js";
import { makeTable } from "./table.js";
import { colourOf, themeOf } from "./theme.js";
import { plain, quantity, words } from "./units.js";

const nameFor = (device, text) => [device.short, text].filter(Boolean).join(" ");
const groups = (rows, keyOf) => rows.reduce((found, row) => found.set(keyOf(row), [...(found.get(keyOf(row)) ?? []), row]), new Map());

function measuredCurves(data, state, theme) {
  const good = data.curves.filter((curve) => curve.of && curve.status === "ok" && curve.x.length > 1 && state.devices.has(curve.of.key));
  return [...groups(good, (curve) => JSON.stringify([curve.name, curve.x_unit, curve.y_unit, curve.x_unit === "byte" ? "" : curve.series])).values()].map((curves) => {
    const [first] = curves;
    return lineChart({
      theme, title: `${words(first.name)}${first.x_unit === "byte" ? "" : `, ${words(first.series)}`}`, xName: words(first.x_name), yName: words(first.y_name), xUnit: first.x_unit, yUnit: first.y_unit,
      linear: first.x_unit !== "byte",
      series: curves.map((curve) => ({ name: nameFor(curve.of, words(curve.series)), colour: colourOf(theme, curve.of), points: curve.x.map((px, at) => [px, curve.y[at]]).filter(([px, py]) => px > 0 && py > 0) })),
    });
  });
}

/** "m=4096,n=8" as pairs whose value is a number. */
const sizes = (point) => [...String(point.params).matchAll(/(?:^|,)([^=,]+)=([0-9.eE+]+)(?=,|$)/g)].map(([, name, value]) => [name, Number(value)]);

/** Families of points that differ in one size (or in the launches of one run), three or more. */
export function families(data) {
  const found = new Map();
  for (const point of data.points) {
    if (!point.of || point.status !== "ok" || !(point.time_s > 0)) continue;
    for (const [name, value] of [...sizes(point), ["launches", point.launches]]) {
      const rest = [point.of.key, point.operator, point.implementation, point.dtype, point.cold, point.graph, point.scope, name,
        name === "launches" ? "" : point.launches, ...sizes(point).filter(([other]) => other !== name).flat()];
      const key = JSON.stringify(rest);
      const family = found.get(key) ?? { name, device: point.of, point, points: new Map() };
      found.set(key, family);
      if (!family.points.has(value)) family.points.set(value, point);
    }
  }
  return [...found.values()].filter((family) => family.points.size >= 3)
    .map((family) => ({ ...family, points: [...family.points].sort(([a], [b]) => a - b) }));
}

function batchCurves(data, state, theme) {
  return families(data).filter((family) => state.devices.has(family.device.key)).slice(0, 12).map(({ name, device, point, points }) => {
    const bounds = points.filter(([, one]) => one.bound_s > 0).map(([value, one]) => [value, one.bound_s]);
    const series = [{ name: "measured", colour: colourOf(theme, device), points: points.map(([value, one]) => [value, one.time_s]) }];
    if (bounds.length > 1) series.push({ name: "least by the roofs", colour: theme.ink, points: bounds });
    if (device.launch_s > 0) series.push({ name: `one launch, ${quantity(device.launch_s, "s", 3)}`, colour: theme.pale, points: [], flat: device.launch_s });
    return lineChart({ theme, title: nameFor(device, `${plain(point.operator, 40)} ${point.dtype} ${plain(point.implementation, 30)}: time against ${plain(name, 30)}`), xName: plain(name, 30), yName: "time of one run", xUnit: "", yUnit: "s", series });
  });
}

/** Bars on one logarithmic axis: latencies from the nearest level to the furthest, or costs. */
function ladder(data, state, theme, kind, caption) {
  const rows = data.ceilings.filter((row) => row.of && row.kind === kind && row.value > 0 && row.unit === "s" && (row.status ?? "ok") === "ok" && state.devices.has(row.of.key))
    .sort((a, b) => a.value - b.value);
  if (rows.length === 0) return null;
  const low = Math.log10(rows[0].value) - 0.5, high = Math.log10(rows[rows.length - 1].value);
  const bar = (row) => {
    const part = high > low ? (100 * (Math.log10(row.value) - low)) / (high - low) : 100;
    const made = element("span", { class: "bar", "aria-hidden": "true" });
    made.style.width = `${Math.max(2, part).toFixed(1)}%`;
    made.style.background = colourOf(theme, row.of);
    return element("span", { class: "track" }, made);
  };
  return makeTable({ caption, rows, columns: [
    { title: "Device", text: (row) => row.of.short },
    { title: "What", text: (row) => plain([words(row.name), row.access, row.variant].filter(Boolean).join(" "), 80) },
    { title: "Time", text: (row) => quantity(row.value, "s"), value: (row) => row.value, right: true },
    { title: "On a logarithmic scale", text: () => " ", node: bar, value: (row) => row.value },
  ] }).element;
}

export function curvePanel(data, state) {
  const parts = { curves: element("div", { class: "small-charts" }), batches: element("div", { class: "small-charts" }), ladders: element("div", { class: "ladders" }) };
  const none = (text) => element("p", {}, text);
  let drawn = "";
  return {
    ...parts,
    update(force) {
      const key = [...state.devices].join() + state.theme;
      if (!force && drawn === key) return;
      drawn = key;
      const theme = themeOf(state.theme);
      const curves = measuredCurves(data, state, theme), batches = batchCurves(data, state, theme);
      const ladders = [ladder(data, state, theme, "latency", "Latencies"), ladder(data, state, theme, "overhead", "Overheads"), ladder(data, state, theme, "link", "Links")].filter(Boolean);
      parts.curves.replaceChildren(...(curves.length > 0 ? curves : [none("No curve was measured.")]));
      parts.batches.replaceChildren(...(batches.length > 0 ? batches : [none("No operator was run in three or more sizes of one parameter, as gable experiment batch does.")]));
      parts.ladders.replaceChildren(...(ladders.length > 0 ? ladders : [none("No latency and no overhead was measured.")]));
    },
  };
}
