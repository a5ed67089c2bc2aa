// Result files made up for tests of the page, out of a measured one. No figure of them is a measurement.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const names = ["gemm", "gemv", "softmax", "layernorm", "relu", "spmv", "stencil", "attention"];

/** A result of a host of its own with `count` operators, whose intensities span six decades. */
export function manyPoints(base, host, count) {
  const result = structuredClone(base);
  result.run.hostname = host;
  result.devices[0].name = `Synthetic ${host}`;
  const form = result.points.find((point) => point.stages.length === 1 && point.status === "ok");
  result.points = Array.from({ length: count }, (_, index) => {
    const point = structuredClone(form);
    point.op = names[index % names.length];
    point.params = `m=${16 + index},n=4096`;
    point.id = `point/${point.op}/kokkos/fp32/${point.params}`;
    const intensity = 0.02 * 10 ** ((5 * index) / count), bytes = 1e9;
    const time = Math.max(bytes / 4e10, (intensity * bytes) / 2e11) * (1.1 + Math.abs(Math.sin(index)) * 3);
    point.stages = [{ ...point.stages[0], bytes_read: bytes * 0.6, bytes_written: bytes * 0.4, bytes_updated: 0, working_set_bytes: bytes,
      work: [{ execution_unit: "vector", operations: intensity * bytes }] }];
    for (const key of ["time_s", "median_s", "ci_low_s", "ci_high_s", "median_ci_low_s", "median_ci_high_s"]) point[key] = time;
    point.samples_s = [time];
    delete point.sample_rounds;
    delete point.disturbed_samples;
    return point;
  });
  return result;
}

/** Names that try to become markup, script, another direction of writing, or very long. */
export const hostile = {
  script: "<script>window.stolen = 1</script>", close: "</script><img src=x onerror=window.stolen=1>", quotes: `" onmouseover="window.stolen=1" '`,
  comment: "<!--<script>", right: "\u202egpj.exe\u202c", long: "x".repeat(10000), template: "${window.stolen=1}{{7*7}}", link: "javascript:window.stolen=1",
};

export function hostileNames(base) {
  const result = structuredClone(base);
  const all = Object.values(hostile);
  result.run.hostname = hostile.script;
  result.run.command_line = ["gable", hostile.close, hostile.quotes];
  result.devices[0].name = `${hostile.close}${hostile.quotes}`;
  result.devices[0].facts.push(...all.map((value) => ({ name: value, value, source: value })));
  result.points.forEach((point, index) => {
    const name = all[index % all.length];
    point.op = name;
    point.label = name;
    point.implementation = all[(index + 1) % all.length];
    point.id = `point/${index}/${name}`;
    if (index % 3 === 0) point.reason = name;
  });
  result.notes.push(...all);
  result.curves.forEach((curve, index) => { curve.series = all[index % all.length]; });
  return result;
}

/** A result that holds a device and not one row. */
export function empty(base) {
  return { ...structuredClone(base), ceilings: [], curves: [], points: [], notes: [] };
}

export const load = (file) => JSON.parse(readFileSync(file, "utf8"));
export function save(folder, name, result) {
  const file = join(folder, name);
  writeFileSync(file, JSON.stringify(result));
  return file;
}
