// Where figures come from, and what is doubtful about them.
import { element } from "./dom.js";
import { makeTable } from "./table.js";
import { plain, words } from "./units.js";

const list = (pairs) => element("dl", {}, pairs.filter(([, text]) => text).flatMap(([key, text]) => [element("dt", {}, key), element("dd", {}, text)]));
const facts = (rows, caption) => makeTable({ caption, rows, columns: [
  { title: "Fact", text: (row) => plain(words(row.name), 80) },
  { title: "Value", text: (row) => plain(row.value, 400) },
  { title: "Source", text: (row) => plain(row.source, 200) },
] }).element;

export function provenancePanel(data) {
  const files = data.files.map((file) => element("details", {}, element("summary", {}, plain(file.name, 120)),
    list([["devices", plain(file.devices.join(", "))], ["host", plain(file.host)], ["began", plain(file.started_at)], ["ended", plain(file.finished_at)],
      ["mode", plain(file.mode)], ["complete", file.complete ? "yes" : "no"], ["system", plain([file.os, file.kernel].filter(Boolean).join(", "))],
      ["gable", plain(`${file.gable_version} ${file.commit}`)], ["compiler", plain(file.compiler)], ["command", plain(file.command_line.join(" "), 600)]]),
    file.facts.length > 0 ? facts(file.facts, `Facts of the host of ${plain(file.name, 60)}`) : ""));
  const devices = data.devices.map((device) => element("details", {}, element("summary", {}, plain(device.title, 160)),
    list([["vendor", plain(device.vendor)], ["architecture", plain(device.microarchitecture)], ["cores", device.cores ? String(device.cores) : ""],
      ["threads", device.threads ? String(device.threads) : ""], ["source", plain(device.source, 400)], ["confidence", plain(device.confidence)], ["note", plain(device.note, 600)]]),
    device.facts?.length > 0 ? facts(device.facts, `Facts of ${plain(device.name, 60)}`) : ""));
  return element("div", {}, files, devices);
}

/** The number of rounds that most rows of a device have, by device: of two as frequent the greater. */
function usualRounds(rows) {
  const counts = new Map();
  for (const { device, rounds } of rows) {
    if (!(rounds > 0)) continue;
    const of = counts.get(device) ?? counts.set(device, new Map()).get(device);
    of.set(rounds, (of.get(rounds) ?? 0) + 1);
  }
  return new Map([...counts].map(([device, of]) => [device, [...of].reduce((a, b) => (b[1] > a[1] || (b[1] === a[1] && b[0] > a[0]) ? b : a))[0]]));
}

/** Beside operators a stream of main memory that bounds them is measured twice a round. */
function isMeasuredTwiceARound(data, row) {
  if (row.kind !== "bandwidth" || row.name !== row.of?.levels?.at(-1)?.name || row.operating_point !== "sustained") return false;
  if (row.access === "write" || row.stores === "non_temporal" || row.variant) return false;
  return data.points.some((point) => point.of === row.of);
}

/** Rows that are not to be taken at face value: {of, row, kind, what, reason}. */
export function warnings(data) {
  const found = [];
  const add = (row, what, reason) => found.push({ of: row.of, name: row.id, what, reason });
  const usual = usualRounds([...data.ceilings, ...data.points]);
  for (const row of [...data.ceilings, ...data.points, ...data.curves]) {
    if (row.status && row.status !== "ok") add(row, row.status, row.reason);
    if (row.status !== "ok") continue;
    if (row.clock_limits) add(row, "throttled", `the clock was held back: ${row.clock_limits}`);
    if (row.blocks > 0 && row.disturbed_blocks * 2 > row.blocks) add(row, "disturbed", `${row.disturbed_blocks} of ${row.blocks} blocks were disturbed`);
    if (row.estimator === "faster_speed") add(row, "several speeds", "the machine ran at two speeds or more while it was measured; this is the fastest");
    const expected = usual.get(row.device) * (isMeasuredTwiceARound(data, row) ? 2 : 1);
    if (row.rounds > expected) add(row, "retried", `measured in ${row.rounds} rounds, usual are ${expected}`);
    if (row.reason) add(row, "note", row.reason);
  }
  return found;
}

export function warningPanel(data) {
  const rows = warnings(data);
  const notes = [...new Set([...data.notes, ...data.files.flatMap((file) => file.notes)])];
  return element("div", {}, notes.length > 0 ? element("ul", {}, notes.map((note) => element("li", {}, plain(note, 600)))) : "",
    makeTable({ caption: "Rows with a warning", rows, empty: "No row has a warning.", columns: [
      { title: "Device", text: (row) => row.of?.short ?? "" },
      { title: "Row", text: (row) => plain(row.name, 120) },
      { title: "What", text: (row) => words(row.what) },
      { title: "Reason", text: (row) => plain(row.reason, 400) },
    ] }).element);
}
