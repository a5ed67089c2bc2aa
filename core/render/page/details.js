// What is known of one point or roof, as pairs of words and figures: for the box at the pointer, and for the panel.
import { element } from "./dom.js";
import { regimeText } from "./markers.js";
import { digits, percent, plain, quantity, times, words } from "./units.js";

const between = (low, high, unit) => (low > 0 && high > 0 ? `${quantity(low, unit)} to ${quantity(high, unit)}` : "");

export function factsOfPoint(point) {
  return [
    ["device", point.of ? plain(point.of.title) : plain(point.device)],
    ["operator", plain([point.operator, point.implementation].join(", "))],
    ["types", [point.dtype, point.accumulate === point.dtype ? "" : `summed up in ${point.accumulate}`].filter(Boolean).join(", ")],
    ["sizes", plain(point.params)],
    ["run", plain([point.manner, point.label].filter(Boolean).join(", "))],
    ["time", quantity(point.time_s, "s")],
    ["95 % interval", between(point.ci_low_s, point.ci_high_s, "s")],
    ["calls", between(point.shortest_call_s, point.longest_call_s, "s")],
    ["performance", quantity(point.flop_per_s, "flop/s")],
    ["traffic", quantity(point.byte_per_s, "byte/s")],
    ["work", point.flops > 0 ? quantity(point.flops, "flop") : ""],
    ["bytes", quantity(point.bytes, "byte")],
    ["intensity", point.intensity > 0 ? `${digits(point.intensity)} FLOP/byte` : ""],
    ["by level", (point.levels ?? []).map((level) => `${plain(level.name, 12)} ${digits(level.intensity)} FLOP/byte`).join(", ")],
    ["ridge", point.ridge_flop_per_byte > 0 ? `${digits(point.ridge_flop_per_byte)} FLOP/byte, ${plain(point.ridge_level)}` : ""],
    ["regime", point.regime ? regimeText(point.regime) : ""],
    ["limit", plain(point.limit)],
    ["least time", quantity(point.bound_s, "s")],
    ["of its limit", percent(point.fraction_of_limit)],
    ["compared with", point.compared_rounds ? `main memory as it was in ${point.compared_rounds} moments` : ""],
    ["of the datasheet", percent(point.fraction_of_datasheet)],
    ["clock", quantity(point.clock_hz, "Hz")],
    ["power", quantity(point.power_w, "W")],
    ["blocks", point.blocks ? `${point.blocks}, of these ${point.disturbed_blocks} disturbed` : ""],
    ["causes seen", plain(point.causes_seen, 600)],
    ["best lever", point.lever ? `${times(point.lever_factor)} ${plain(point.lever)}` : ""],
    ["status", point.status === "ok" ? "" : words(point.status)],
    ["reason", plain(point.reason)],
  ].filter(([, text]) => text);
}

export function factsOfRoof(roof) {
  return [
    ["device", plain(roof.of.title)],
    ["rate", quantity(roof.rate, roof.unit)],
    ["95 % interval", roof.high > roof.low ? between(roof.low, roof.high, roof.unit) : ""],
    ["kind", roof.kind === "compute" ? `${words(roof.execution_unit)}, ${roof.types}` : `${plain(roof.level)} ${words(roof.access)}`.trim()],
    ["operating point", words(roof.at)],
    ["stores", words(roof.stores)],
  ].filter(([, text]) => text);
}

export const nameOf = (one) => (one.rate !== undefined ? plain(one.label)
  : `${one.of ? one.of.short : ""} ${one.name}`.trim());

/** What the box at the pointer has room for. */
const main = ["sizes", "time", "performance", "traffic", "intensity", "limit", "of its limit", "best lever", "rate", "95 % interval", "reason"];
export function brief(one) {
  const facts = (one.rate !== undefined ? factsOfRoof(one) : factsOfPoint(one)).filter(([key]) => main.includes(key) && (key !== "95 % interval" || one.rate !== undefined));
  return [element("strong", {}, nameOf(one)), one.diagnosis ? element("p", { class: "diagnosis" }, plain(one.diagnosis, 300)) : "",
    element("dl", {}, facts.map(([key, text]) => [element("dt", {}, key), element("dd", {}, text)]))].filter(Boolean);
}

/** The same as one sentence, for who listens. */
export function spoken(one) {
  const facts = one.rate !== undefined ? factsOfRoof(one) : factsOfPoint(one);
  const chosen = facts.filter(([key]) => ["sizes", "time", "performance", "intensity", "regime", "of its limit", "rate"].includes(key));
  return `${nameOf(one)}: ${chosen.map(([key, text]) => `${key} ${text}`).join(", ")}. ${one.diagnosis ?? ""}`;
}

export function card(point) {
  return element("article", { class: "card" }, element("h3", {}, nameOf(point)),
    point.diagnosis ? element("p", { class: "diagnosis" }, plain(point.diagnosis, 600)) : "",
    point.causes_usual ? element("p", {}, `Usual causes: ${plain(point.causes_usual, 900)}.`) : "",
    element("dl", {}, factsOfPoint(point).map(([key, text]) => [element("dt", {}, key), element("dd", {}, text)])));
}
