// What exercises are checked by; core/questions/course/exercise.cpp makes them and grades by the same rule.

/** Right within the tolerance; near within three times of it, as factors. */
export function grade(exercise, answer) {
  const off = Math.abs(Math.log(answer / exercise.answer)), limit = Math.log1p(exercise.tolerance);
  return off <= limit ? "right" : off <= 3 * limit ? "near" : "wrong";
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
