// What exercises are checked by; core/questions/course makes them and grades by the same rule (grade.cpp).

/** Right within the tolerance; near within three times of it, as factors; else a known mistake has a name. */
export function grade(exercise, answer) {
  const off = (from) => Math.abs(Math.log(answer / from)), limit = Math.log1p(exercise.tolerance), distance = off(exercise.answer);
  if (distance <= limit) return { verdict: "right", mistake: "" };
  const verdict = distance <= 3 * limit ? "near" : "wrong", most = verdict === "near" ? Math.min(limit, 0.01) : limit;
  return { verdict, mistake: exercise.mistakes.find((one) => off(one.answer) <= most)?.name ?? "" };
}

/** The number that a reader gives in the exercise's unit, which may stand behind it: 1.5, 1,5, 3/2, 1.5 x 10^0; NaN of other texts. */
export function numberIn(text, unit) {
  const plain = text.replace(unit, "").replace(/[\s\u00a0\u202f]/g, "").replace(/[x×·*]10\^/g, "e").replaceAll(",", ".");
  const fraction = plain.match(/^([^/]+)\/([^/e]+)(e.+)?$/);
  if (!fraction) return Number(plain || NaN);
  const [, over, under, power = ""] = fraction;
  return /\d\s+\d/.test(text.replace(/[x×·*].*/, "")) ? NaN : Number(over + power) / Number(under);
}

/** As the handout of `gable lab` has it. */
export const tolerance = (exercise) => `within a factor of ${Number((1 + exercise.tolerance).toPrecision(4))}`;

/** The roofs of the simplest model: main memory or another level, and the highest flat roof of a type. */
export function model(data, device, dtype, level = "") {
  const name = level || device.levels[device.levels.length - 1]?.name;
  const memory = data.roofs.find((roof) => roof.of === device && roof.kind === "bandwidth" && !roof.non_temporal && roof.level === name);
  const peak = data.roofs.filter((roof) => roof.of === device && roof.kind === "compute" && roof.dtype === dtype && roof.at !== "library")
    .reduce((best, roof) => (!best || roof.rate > best.rate ? roof : best), null);
  return memory && peak ? { memory, peak } : null;
}
