import { makeTable } from "./table.js";
import { percent, plain, quantity, words } from "./units.js";

/** The row of a roof that the chart draws. */
function roofOf(data, row) {
  return data.roofs.find((roof) => roof.device === row.device && roof.rate === row.value &&
    (roof.kind === "compute" ? row.kind === "compute" && roof.dtype === row.dtype : row.kind === "bandwidth" && roof.level === row.name));
}

/** No plain percentage above 100: its cause is told in the tables of gable report. */
function datasheetShare(row) {
  if (!row.percent_of_datasheet) return "";
  return row.percent_of_datasheet > 100.05 ? "above 100 %" : percent(row.percent_of_datasheet / 100);
}

export function ceilingTable(data, state, actions) {
  const roofs = new Map(data.ceilings.map((row) => [row, roofOf(data, row)]));
  const half = (row) => (row.ci_low > 0 && row.value > 0 ? (row.ci_high - row.ci_low) / 2 / row.value : undefined);
  const table = makeTable({
    caption: "Ceilings",
    rows: data.ceilings,
    empty: "No ceiling was measured.",
    columns: [
      { title: "Device", text: (row) => row.of?.short ?? "" },
      { title: "Kind", text: (row) => words(row.kind) },
      { title: "Name", text: (row) => plain(row.name, 80) },
      { title: "Type", text: (row) => [row.dtype, row.accumulate && row.accumulate !== row.dtype ? `→ ${row.accumulate}` : ""].filter(Boolean).join(" ") },
      { title: "Access", text: (row) => [words(row.access), row.stores === "non_temporal" ? "non-temporal" : ""].filter(Boolean).join(" ") },
      { title: "Operating point", text: (row) => words(row.operating_point) },
      { title: "Implementation", text: (row) => plain([row.implementation, row.variant].filter(Boolean).join(" "), 60) },
      { title: "Scope", text: (row) => words(row.scope) },
      { title: "Value", text: (row) => quantity(row.value, row.unit), value: (row) => row.value, right: true },
      { title: "± half of 95 %", text: (row) => percent(half(row), 2), value: half, right: true },
      { title: "Of datasheet", text: (row) => datasheetShare(row), value: (row) => row.percent_of_datasheet, right: true },
      { title: "At its clock", text: (row) => (row.percent_at_clock ? percent(row.percent_at_clock / 100) : ""), value: (row) => row.percent_at_clock, right: true },
      { title: "Clock", text: (row) => quantity(row.clock_hz, "Hz"), value: (row) => row.clock_hz, right: true },
      { title: "Status", text: (row) => (row.status ?? "datasheet") },
      { title: "Reason", text: (row) => plain(row.reason) },
    ],
    onpick: (row) => {
      const roof = roofs.get(row);
      if (roof) state.change({ roof: state.roof === roof.key ? "" : roof.key });
    },
    onhover: (row) => actions.hover(row ? roofs.get(row) ?? null : null),
    picked: (row) => Boolean(state.roof) && roofs.get(row)?.key === state.roof,
  });
  return { ...table, update: () => table.allow((row) => !row.of || state.devices.has(row.of.key)) };
}
