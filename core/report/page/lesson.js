// The course in the page: exercises that are checked against the figures, and a point that is moved by sliders.
import { button, element, freshId, select } from "./dom.js";
import { grade, model } from "./exercises.js";
import { digits, plain, quantity, times } from "./units.js";

const verdicts = { right: "Right.", near: "Near, but not within the tolerance.", wrong: "Not yet." };

function exerciseItem(exercise, keep) {
  const id = freshId("answer");
  const field = element("input", { id, type: "text", inputmode: "decimal", autocomplete: "off", maxlength: "20", class: "answer" });
  const said = element("p", { role: "status", class: "verdict" });
  const working = element("p", { class: "working", hidden: true }, plain(exercise.working, 1500));
  const check = () => {
    const answer = Number(field.value.trim().replace(",", "."));
    if (!(answer > 0)) { said.textContent = "Give a number greater than 0, without a unit."; return; }
    const verdict = grade(exercise, answer);
    keep(exercise.id, verdict);
    said.textContent = `${verdicts[verdict]}${verdict === "right" ? ` ${digits(exercise.answer, 3)} ${exercise.unit}.` : ""}`;
  };
  field.addEventListener("keydown", (event) => { if (event.key === "Enter") check(); });
  const show = button("Show the working", () => {
    working.hidden = !working.hidden;
    show.setAttribute("aria-expanded", String(!working.hidden));
  }, { "aria-expanded": "false" });
  return element("li", { "data-exercise": exercise.id }, element("label", { for: id }, plain(exercise.question, 900)),
    element("p", { class: "filter" }, field, element("span", {}, `${exercise.unit} (within ${Math.round(100 * exercise.tolerance)} %)`), button("Check", check), show), said, working);
}

const sliders = [
  ["bytes", "Bytes that it moves (fusion, narrower types, a batch that reads weights once)"], ["flops", "Operations that it does"],
  ["bandwidth", "Speed of main memory"], ["peak", "Speed of its units (SIMD, cores, another device)"],
];

/** A point by main memory and its highest roof, with everything else as it is: what the four factors make of it. */
export function moved({ point, roofs }, factors) {
  const intensity = (point.intensity * factors.flops) / factors.bytes, byteRate = roofs.memory.rate * factors.bandwidth, peak = roofs.peak.rate * factors.peak;
  const time = Math.max((point.flops * factors.flops) / peak, (point.bytes * factors.bytes) / byteRate);
  const before = Math.max(point.flops / roofs.peak.rate, point.bytes / roofs.memory.rate);
  return { intensity, flop_per_s: (point.flops * factors.flops) / time, time, gain: before / time, memory: intensity < peak / byteRate, ridge: peak / byteRate };
}

function whatIf(data, state) {
  const candidates = data.drawn.map((point) => ({ point, roofs: model(data, point.of, point.compute) })).filter(({ roofs }) => roofs).slice(0, 500);
  if (candidates.length === 0) return "";
  const factors = Object.fromEntries(sliders.map(([key]) => [key, 1]));
  let current = candidates[0];
  const said = element("p", { role: "status", class: "verdict" });
  const fields = sliders.map(([key, text]) => {
    const id = freshId("slider"), shown = element("output", { for: id }, "1×");
    const field = element("input", { id, type: "range", min: "-4", max: "4", step: "0.5", value: "0", "aria-valuetext": "1 times", oninput: () => {
      factors[key] = 2 ** Number(field.value);
      shown.textContent = times(factors[key]);
      field.setAttribute("aria-valuetext", `${digits(factors[key], 3)} times`);
      tell();
    } });
    return { field, shown, row: element("p", { class: "slider" }, element("label", { for: id }, text), field, shown) };
  });
  function tell() {
    const result = moved(current, factors);
    const still = Object.values(factors).every((one) => one === 1);
    said.textContent = `At most ${quantity(result.flop_per_s, "flop/s")} at ${digits(result.intensity)} FLOP/byte, ${times(result.gain)} as fast as the least time before. ` +
      `The ridge is at ${digits(result.ridge)} FLOP/byte: ${result.memory ? "the memory decides" : "the arithmetic decides"}.`;
    state.change({ ghost: still ? null : { ...result, from: current.point } }, "frame");
  }
  const choice = select("Operator", candidates.map(({ point }, index) => [String(index), `${point.of.short} ${point.name} ${plain(point.params, 40)}`.trim()]), (index) => {
    current = candidates[Number(index)];
    tell();
  });
  const reset = button("As it is", () => {
    for (const { field, shown } of fields) { field.value = "0"; shown.textContent = "1×"; field.setAttribute("aria-valuetext", "1 times"); }
    for (const key of Object.keys(factors)) factors[key] = 1;
    tell();
  });
  return element("div", { class: "what-if" }, element("h3", {}, "What if?"), element("p", {}, "Move a point: the hollow ring in the chart is where the roofs of main memory and of its type put it at most."),
    element("p", {}, choice.label, " ", reset), fields.map(({ row }) => row), said);
}

export function lessonPanel(data, state) {
  const list = data.exercises, results = new Map();
  const score = element("p", { role: "status", class: "score" }, "");
  const keep = (id, verdict) => {
    results.set(id, verdict);
    score.textContent = `${[...results.values()].filter((one) => one === "right").length} of ${list.length} right.`;
  };
  if (list.length === 0) return element("p", {}, "Exercises need a device with a memory roof and a compute roof.");
  return element("div", {}, element("p", {}, "Predict first, then look. Answers are checked against the figures of this page, and nothing is sent anywhere."),
    element("ol", { class: "exercises" }, list.map((exercise) => exerciseItem(exercise, keep))), score, whatIf(data, state));
}
