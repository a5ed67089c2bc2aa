// How many times as fast each device does what the baseline does.
import { element, select } from "./dom.js";
import { makeTable } from "./table.js";
import { plain, quantity, times } from "./units.js";

const measured = (point) => point.of && point.status === "ok" && point.time_s > 0;

/** Rows {work, baseline, others}: what the baseline and at least one other device ran. */
export function speedups(data, baseline) {
  const rows = new Map();
  for (const point of data.points.filter((one) => measured(one) && one.of.key === baseline)) {
    if (!rows.has(point.work)) rows.set(point.work, { point, times: new Map() });
  }
  for (const point of data.points.filter((one) => measured(one) && one.of.key !== baseline)) {
    const row = rows.get(point.work);
    if (row && !row.times.has(point.of.key)) row.times.set(point.of.key, point.time_s);
  }
  return [...rows.values()].filter((row) => row.times.size > 0);
}

/** Geometric mean in which each operator counts the same, and so does each of its rows. */
export function mean(rows, key) {
  const logs = new Map();
  for (const { point, times: all } of rows) {
    if (!all.has(key)) continue;
    logs.set(point.operator, [...(logs.get(point.operator) ?? []), Math.log(point.time_s / all.get(key))]);
  }
  const average = (list) => list.reduce((sum, one) => sum + one, 0) / list.length;
  return logs.size > 0 ? Math.exp(average([...logs.values()].map(average))) : undefined;
}

export function speedupPanel(data, state) {
  const devices = data.devices.filter((device) => data.points.some((point) => measured(point) && point.of === device));
  const place = element("div");
  const choice = select("Baseline", devices.map((device) => [device.key, device.said]), (key) => state.change({ baseline: key }));
  const root = element("div", {}, devices.length > 1 ? element("p", {}, choice.label) : "", place);
  let drawn = null;
  function update() {
    if (drawn === state.baseline) return;
    drawn = state.baseline;
    choice.field.value = state.baseline;
    const rows = speedups(data, state.baseline), others = devices.filter((device) => device.key !== state.baseline);
    if (rows.length === 0) {
      place.replaceChildren(element("p", {}, "Two devices with the same operators in the same sizes are needed to compare them."));
      return;
    }
    const means = others.map((device) => [device, mean(rows, device.key)]).filter(([, one]) => one !== undefined);
    const table = makeTable({
      caption: "Speedups", rows,
      columns: [
        { title: "Operator", text: ({ point }) => plain(point.operator, 60) },
        { title: "Implementation", text: ({ point }) => plain([point.implementation, point.manner].filter(Boolean).join(", "), 60) },
        { title: "Type", text: ({ point }) => point.dtype },
        { title: "Sizes", text: ({ point }) => plain(point.params, 60) },
        { title: `Time on ${state.baseline}`, text: ({ point }) => quantity(point.time_s, "s"), value: ({ point }) => point.time_s, right: true },
        ...others.map((device) => ({ title: `${device.key}, times as fast`, right: true,
          text: ({ point, times: all }) => (all.has(device.key) ? times(point.time_s / all.get(device.key)) : ""),
          value: ({ point, times: all }) => (all.has(device.key) ? point.time_s / all.get(device.key) : undefined) })),
      ],
    });
    place.replaceChildren(element("p", {}, "Geometric mean, in which each operator counts the same: ",
      means.map(([device, one]) => `${device.key} ${times(one)}`).join(", "), ". Whether a difference is more than noise says gable compare."), table.element);
  }
  return { element: root, update };
}

/** Every device beside every other one: geometric means of what both ran. Nothing for fewer than three devices. */
export function speedupMatrix(data) {
  const devices = data.devices.filter((device) => data.points.some((point) => measured(point) && point.of === device));
  if (devices.length < 3) return "";
  const means = new Map(devices.map((device) => {
    const rows = speedups(data, device.key);
    return [device, new Map(devices.map((other) => [other, other === device ? undefined : mean(rows, other.key)]))];
  }));
  const table = makeTable({ caption: "Speedup matrix", rows: devices, columns: [
    { title: "Device", text: (device) => device.said },
    ...devices.map((other) => ({ title: `${other.key}, times as fast`, right: true,
      text: (device) => { const one = means.get(device).get(other); return one === undefined ? "–" : times(one); }, value: (device) => means.get(device).get(other) })),
  ] });
  return element("div", { class: "matrix" }, element("h3", {}, "Every device beside every other"),
    element("p", {}, "How many times as fast the device of the column is as that of the row, over the operators that both ran."), table.element);
}
