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

/** A network of two nodes: 2 µs and 10 GB/s between hosts' memories, 5 µs and 40 GB/s between devices' by NCCL. */
export function network(base) {
  const result = empty(base);
  Object.assign(result.devices[0], { id: "mpi", backend: "mpi", name: "2 ranks on 2 nodes" });
  const form = base.ceilings.find((row) => row.kind === "latency"), curve = base.curves[0];
  for (const [name, implementation, latency, peak] of [["between_nodes", "mpi", 2e-6, 10e9], ["between_nodes_device", "nccl", 5e-6, 40e9]]) {
    for (const [unit, variant, value] of [["s", "8_bytes", latency], ["byte/s", "one_direction_4194304_bytes", peak]]) {
      const figures = Object.fromEntries(["value", "median", "ci_low", "ci_high", "median_ci_low", "median_ci_high"].map((key) => [key, value]));
      result.ceilings.push({ ...structuredClone(form), ...figures, device: "mpi", kind: "link", name, unit, variant, implementation, samples: [value], blocks: 1, used_blocks: 1,
        threads: 2, id: `ceiling/link/${name}/${variant}/${implementation}` });
      for (const key of ["sample_rounds", "disturbed_samples"]) delete result.ceilings.at(-1)[key];
    }
    const x = [1, 4096, 4194304];
    result.curves.push({ ...structuredClone(curve), device: "mpi", name: "message_latency", series: implementation === "nccl" ? `${name} by nccl` : name, threads: 2, reason: "",
      id: `curve/message_latency/${name}`, x_name: "message size", x_unit: "byte", y_name: "time", y_unit: "s", x, y: x.map((bytes) => latency + bytes / peak) });
  }
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
