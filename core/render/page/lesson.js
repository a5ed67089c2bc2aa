// The course in the page: exercises that are checked against the figures.
import { button, element, freshId } from "./dom.js";
import { grade, numberIn, tolerance } from "./exercises.js";
import { digits, plain } from "./units.js";

const verdicts = { right: "Right.", near: "Near, but not within the tolerance.", wrong: "Not yet." };

function exerciseItem(exercise, keep) {
  const id = freshId("answer");
  const field = element("input", { id, type: "text", inputmode: "decimal", autocomplete: "off", maxlength: "40", class: "answer" });
  const said = element("p", { role: "status", class: "verdict" });
  const working = element("p", { class: "working", hidden: true }, `Answer: ${digits(exercise.answer, 3)} ${exercise.unit}. ${plain(exercise.working, 1500)}`);
  const check = () => {
    const answer = numberIn(field.value, exercise.unit);
    if (!(answer > 0)) { said.textContent = `Give a number greater than 0, in ${exercise.unit}.`; return; }
    const { verdict, mistake } = grade(exercise, answer);
    keep(exercise.id, verdict);
    said.textContent = `${verdicts[verdict]}${mistake ? ` Looks like: ${plain(mistake, 120)}.` : ""}${verdict === "right" ? ` ${digits(exercise.answer, 3)} ${exercise.unit}.` : ""}`;
  };
  field.addEventListener("keydown", (event) => { if (event.key === "Enter") check(); });
  const show = button("Show the working", () => {
    working.hidden = !working.hidden;
    show.setAttribute("aria-expanded", String(!working.hidden));
  }, { "aria-expanded": "false" });
  return element("li", { "data-exercise": exercise.id }, element("label", { for: id }, plain(exercise.question, 1200)),
    element("p", { class: "filter" }, field, element("span", {}, `${exercise.unit} (right ${tolerance(exercise)})`), button("Check", check), show), said, working);
}

export function lessonPanel(data) {
  const list = data.exercises, results = new Map();
  const score = element("p", { role: "status", class: "score" }, "");
  const keep = (id, verdict) => {
    results.set(id, verdict);
    score.textContent = `${[...results.values()].filter((one) => one === "right").length} of ${list.length} right.`;
  };
  if (list.length === 0) return element("p", {}, "Exercises need a device with a memory roof and a compute roof.");
  return element("div", {}, element("p", {}, "Predict first, then look. Answers are checked against the figures of this page, and nothing is sent anywhere."),
    element("ol", { class: "exercises" }, list.map((exercise) => exerciseItem(exercise, keep))), score);
}
