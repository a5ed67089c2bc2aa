import { regimeText } from "./markers.js";
import { makeTable } from "./table.js";
import { digits, percent, plain, quantity, times } from "./units.js";
import { isSought } from "./visible.js";

export function operatorTable(data, state, actions) {
  const table = makeTable({
    caption: "Operators",
    rows: data.points,
    empty: "No operator was run.",
    columns: [
      { title: "Device", text: (row) => row.of?.short ?? "" },
      { title: "Operator", narrow: true, text: (row) => plain(row.operator, 80) },
      { title: "Implementation", narrow: true, text: (row) => plain([row.implementation, row.manner].filter(Boolean).join(", "), 60) },
      { title: "Type", text: (row) => row.dtype },
      { title: "Sizes", narrow: true, text: (row) => plain(row.params, 80) },
      { title: "Time", text: (row) => quantity(row.time_s, "s"), value: (row) => row.time_s, right: true },
      { title: "Of its limit", text: (row) => percent(row.fraction_of_limit), value: (row) => row.fraction_of_limit, right: true },
      { title: "Lost", text: (row) => quantity(row.lost_s > 0 ? row.lost_s : undefined, "s"), value: (row) => row.lost_s, right: true },
      { title: "Best lever", text: (row) => (row.lever ? `${times(row.lever_factor)} ${plain(row.lever, 90)}` : ""), value: (row) => row.lever_factor },
      { title: "Limit", text: (row) => plain(row.limit, 60) },
      { title: "Performance", text: (row) => quantity(row.flop_per_s, "flop/s"), value: (row) => row.flop_per_s, right: true },
      { title: "Traffic", text: (row) => quantity(row.byte_per_s, "byte/s"), value: (row) => row.byte_per_s, right: true },
      { title: "Intensity", text: (row) => (row.intensity > 0 ? digits(row.intensity) : ""), value: (row) => row.intensity, right: true },
      { title: "Regime", text: (row) => (row.regime ? regimeText(row.regime) : "") },
      { title: "Status", text: (row) => row.status },
      { title: "Reason", text: (row) => plain(row.reason) },
    ],
    onpick: (row, add) => actions.pick(row, add),
    onhover: (row) => actions.hover(row && row.drawn ? row : null),
    picked: (row) => state.selected.has(row.key),
  });
  return { ...table, update: () => table.allow((row) => isSought(row, state) && (!row.of || state.devices.has(row.of.key)) && (state.types.has(row.dtype) || state.types.has(row.compute) || !data.types.includes(row.dtype))) };
}
