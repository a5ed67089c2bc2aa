// A point that the reader moves: in batch, type, memory level, fusion and device, or by factors.
import { button, checkbox, element, freshId, select } from "./dom.js";
import { model } from "./exercises.js";
import { digits, plain, quantity, times, words } from "./units.js";

const most = { points: 500, batch: 10 };

const factors = [
  ["bytes", "Bytes that it moves"], ["flops", "Operations that it does"],
  ["bandwidth", "Speed of the memory"], ["peak", "Speed of its units (SIMD, cores)"],
];

/** What a point does where nothing is changed. */
export const asItIs = (point) => ({ batch: 1, dtype: "", level: "", fused: false, device: point.of.key, bytes: 1, flops: 1, bandwidth: 1, peak: 1 });

/** Work of a point after changes: a batch multiplies all but the bytes of the weights, another type changes every byte alike. */
export function workOf(point, changes) {
  const moves = point.moves ?? {}, type = (moves.types ?? []).find((one) => one.dtype === changes.dtype);
  const narrower = type ? type.bytes / point.bytes : 1, whole = changes.fused && moves.fused_bytes > 0 ? moves.fused_bytes : point.bytes;
  const fixed = changes.batch !== 1 ? Math.min(moves.batch_fixed_bytes ?? 0, whole) : 0;
  return {
    flops: point.flops * changes.batch * changes.flops, bytes: (fixed + (whole - fixed) * changes.batch) * narrower * changes.bytes,
    compute: type ? type.compute : point.compute,
  };
}

/** The least time by one memory and the highest roof of a type: before, and after the changes; null where a roof is missing. */
export function moved(data, point, changes) {
  const device = data.devices.find((one) => one.key === changes.device) ?? point.of;
  const work = workOf(point, changes), before = model(data, point.of, point.compute), after = model(data, device, work.compute, changes.level);
  if (!before || !after) return null;
  const byteRate = after.memory.rate * changes.bandwidth, peak = after.peak.rate * changes.peak, ridge = peak / byteRate;
  const time = Math.max(work.flops / peak, work.bytes / byteRate), intensity = work.flops / work.bytes;
  const first = Math.max(point.flops / before.peak.rate, point.bytes / before.memory.rate);
  return { ...work, time, intensity, flop_per_s: work.flops / time, gain: (first * changes.batch) / time, ridge, memory: intensity < ridge, level: after.memory.level, device };
}

/** Rows of a product that share its weights, and as many whole ones as there are after a factor. */
const rowsOf = (point) => (point.operator === "gemv" ? 1 : Number(/(?:^|,)m=([0-9]+)/.exec(point.params)?.[1] ?? 1));
const rowsAfter = (point, factor) => Math.max(1, Math.round(rowsOf(point) * factor));

export function whatIf(data, state) {
  const candidates = data.drawn.slice(0, most.points).filter((point) => model(data, point.of, point.compute));
  if (candidates.length === 0) return null;
  let point = candidates[0], changes = asItIs(point);
  const said = element("p", { role: "status", class: "verdict" });

  const slider = (text, low, high, step, wordsFor, change) => {
    const id = freshId("slider"), shown = element("output", { for: id });
    const field = element("input", { id, type: "range", min: low, max: high, step, value: "0", oninput: () => { change(2 ** Number(field.value)); show(); tell(); } });
    const show = () => {
      shown.textContent = field.disabled ? "–" : wordsFor(2 ** Number(field.value));
      field.setAttribute("aria-valuetext", field.disabled ? "not of this operator" : wordsFor(2 ** Number(field.value)));
    };
    return { field, show, row: element("p", { class: "slider" }, element("label", { for: id }, text), field, shown) };
  };
  const batch = slider("Batch: rows that share the weights (matrix products)", 0, most.batch, 1, (factor) => `${digits(rowsAfter(point, factor), 4)} rows`, (factor) => { changes.batch = rowsAfter(point, factor) / rowsOf(point); });
  const scales = factors.map(([key, text]) => slider(text, -4, 4, 0.5, (factor) => times(factor), (factor) => { changes[key] = factor; }));
  const options = (field, list) => field.replaceChildren(...list.map(([value, name]) => element("option", { value }, name)));
  const precision = select("Precision", [], (value) => { changes.dtype = value; tell(); });
  const level = select("Data lie in", [], (value) => { changes.level = value; tell(); });
  const device = select("Device", data.devices.map((one) => [one.key, one.said]), (value) => { changes.device = value; changes.level = ""; offerLevels(); tell(); });
  const fusion = checkbox("Fused: all its kernels as one", (on) => { changes.fused = on; tell(); });

  function offerLevels() {
    const on = data.devices.find((one) => one.key === changes.device);
    const levels = data.roofs.filter((roof) => roof.of === on && roof.kind === "bandwidth" && !roof.non_temporal).map((roof) => roof.level);
    const main = model(data, on, point.compute)?.memory.level ?? levels[levels.length - 1];
    options(level.field, levels.map((name) => [name === main ? "" : name, name === main ? `${plain(name, 30)} (main memory)` : plain(name, 30)]));
    level.field.value = "";
  }
  /** Everything as it is, and only what this point can be changed in. */
  function start() {
    const moves = point.moves ?? {}, rows = rowsOf(point);
    changes = asItIs(point);
    batch.field.disabled = !(moves.batch_fixed_bytes > 0);
    batch.field.min = String(-Math.floor(Math.log2(rows)));
    fusion.box.disabled = !(moves.fused_bytes > 0);
    fusion.box.checked = false;
    options(precision.field, [["", `${point.dtype} (as it is)`], ...(moves.types ?? []).map((one) => [one.dtype, words(one.dtype)])]);
    precision.field.disabled = !moves.types;
    device.field.value = changes.device;
    offerLevels();
    for (const one of [batch, ...scales]) { one.field.value = "0"; one.show(); }
    tell();
  }
  function tell() {
    const result = moved(data, point, changes), first = asItIs(point);
    const still = Object.keys(first).every((key) => changes[key] === first[key]);
    const on = data.devices.find((one) => one.key === changes.device);
    if (!result) {
      said.textContent = `${on.said} has no roof of its main memory, or none of this type: nothing can be said.`;
      state.change({ ghost: null }, "frame");
      return;
    }
    said.textContent = `At most ${quantity(result.flop_per_s, "flop/s")} at ${digits(result.intensity)} FLOP/byte, ${times(result.gain)} as fast as the least time before${changes.batch !== 1 ? ", for each row" : ""}. ` +
      `It moves ${quantity(result.bytes, "byte")} and does ${quantity(result.flops, "flop")}, ${quantity(result.time, "s")} at least. ` +
      `The ridge is at ${digits(result.ridge)} FLOP/byte: ${result.memory ? `the memory decides (${plain(result.level, 30)})` : "the arithmetic decides"}.`;
    state.change({ ghost: still ? null : { intensity: result.intensity, flop_per_s: result.flop_per_s, from: point } }, "frame");
  }
  const choice = select("Operator", candidates.map((one, index) => [String(index), `${one.of.short} ${one.name} ${plain(one.params, 40)}`.trim()]), (index) => {
    point = candidates[Number(index)];
    start();
  });
  start();
  return {
    element: element("div", { class: "what-if", hidden: true },
      element("p", { class: "choices" }, choice.label, button("As it is", start)), said,
      batch.row, scales.map(({ row }) => row),
      element("p", { class: "choices" }, precision.label, level.label, device.label, fusion.label),
      element("p", { class: "hint" }, "The hollow ring in the chart is where the roofs of one memory and of its type put the point at most. The cost of launches is left out. What an operator cannot be changed in is grey.")),
    /** Shows again where the sliders put the point. */
    tell,
    /** Moves this point, if it is one that can be moved. */
    choose(wanted) {
      const index = candidates.indexOf(wanted);
      if (index < 0 || wanted === point) return;
      point = wanted;
      choice.field.value = String(index);
      start();
    },
  };
}
