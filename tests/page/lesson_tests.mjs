// Exercises are graded by the figures of the CSV, and the sliders move a point as the model says.
import assert from "node:assert/strict";
import { open, settle } from "./browser.mjs";
import { number, pageOf, table } from "./report.mjs";

const zen4 = (measured) => measured.find((file) => file.includes("amd-zen-4-operators"));

async function answer(page, id, text) {
  const item = page.locator(`[data-exercise="${id}"]`);
  await item.getByRole("textbox").fill(String(text));
  await item.getByRole("button", { name: "Check" }).click();
  return item.locator(".verdict").textContent();
}

/** The ridge is P / B of the CSV's ceilings. */
export async function ridgesAreGradedByTheCsv({ browser, measured }) {
  const file = zen4(measured), rows = table([file], "ceilings").filter((row) => row.status === "ok" && row.scope === "node");
  const memory = Math.max(...rows.filter((row) => row.name === "DRAM" && row.access === "triad" && row.stores === "ordinary").map((row) => Number(row.value)));
  const peak = Math.max(...rows.filter((row) => row.kind === "compute" && row.dtype === "fp64" && !row.variant && ["burst", "sustained"].includes(row.operating_point) && ["vector", "scalar", "matrix"].includes(row.name)).map((row) => Number(row.value)));
  const { page, complaints } = await open(browser, pageOf([file], "lesson.html"));
  const ridge = peak / memory;
  assert.match(await answer(page, "ridge/A/fp64", ridge.toPrecision(3)), /^Right/);
  assert.match(await page.locator(".score").textContent(), /^1 of \d+ right/);
  assert.match(await answer(page, "ridge/A/fp64", (ridge * 1.1).toPrecision(3)), /^Near/);
  assert.match(await answer(page, "ridge/A/fp64", (ridge * 3).toPrecision(3)), /^Not yet/);
  assert.match(await answer(page, "ridge/A/fp64", (ridge * 8).toPrecision(3)), /^Not yet\. Looks like: bits for bytes\./);
  assert.match(await answer(page, "ridge/A/fp64", `${ridge.toPrecision(3)} flop/byte`), /^Right/, "with its unit");
  assert.match(await answer(page, "ridge/A/fp64", String((ridge * 1.02).toPrecision(4)).replace(".", ",")), /^Right/, "with a decimal comma, too");
  assert.match(await answer(page, "ridge/A/fp64", `${(ridge * 3).toPrecision(4)}/3`), /^Right/, "as a fraction");
  assert.match(await answer(page, "ridge/A/fp64", `${(ridge * 3).toPrecision(4)}/300 x 10^2`), /^Right/);
  assert.match(await answer(page, "ridge/A/fp64", "1 1/2"), /^Give a number/);
  assert.match(await answer(page, "ridge/A/fp64", `${(ridge / 100).toPrecision(4)} x 10^2 flop/byte`), /^Right/, "with a power of ten");
  for (const nonsense of ["", "-1", "<b>", "1e999999"]) assert.doesNotMatch(await answer(page, "ridge/A/fp64", nonsense), /^Right/);
  assert.deepEqual(complaints, []);
  await page.close();
}

/** Cases of the model: ridge of an A100 by its datasheet, 312e12 / 2.039e12 = 153.0 in fp16. */
export async function ridgeOfADatasheet({ browser }) {
  const { page } = await open(browser, pageOf(["A100 SXM4 80GB"], "a100.html"));
  assert.match(await answer(page, "ridge/A/fp32", "9.56"), /^Right/, "19.5e12 / 2.039e12");
  const text = await page.locator('[data-exercise="ridge/A/fp32"] .working').textContent();
  assert.match(text, /^Answer: 9\.56 flop\/byte\..*19\.5 TFLOP\/s \/ 2\.04 TB\/s = 9\.56/);
  await page.close();
}

export async function workingIsShownOnRequest({ browser, measured }) {
  const { page } = await open(browser, pageOf([zen4(measured)], "working.html"));
  const item = page.locator(".exercises li").first(), show = item.getByRole("button", { name: "Show the working" });
  assert.equal(await item.locator(".working").isVisible(), false);
  await show.focus();
  await page.keyboard.press("Enter");
  assert.equal(await item.locator(".working").isVisible(), true);
  assert.equal(await show.getAttribute("aria-expanded"), "true");
  assert.ok((await page.locator(".exercises li").count()) >= 8);
  const kinds = await page.locator(".exercises li").evaluateAll((list) => new Set(list.map((one) => one.dataset.exercise.split("/")[0])).size);
  assert.ok(kinds >= 4, "ridges, landings, doubled bandwidth, vectors, fusion");
  await page.close();
}

const panelOf = async (browser, files, name) => {
  const { page, complaints } = await open(browser, pageOf(files, name));
  await page.getByRole("button", { name: "What if?", exact: true }).first().click();
  const panel = page.locator(".what-if"), said = panel.locator(".verdict");
  return {
    page, complaints, panel, said,
    set: async (label, value) => { await panel.getByRole("slider", { name: label }).fill(String(value)); await settle(page); },
    choose: async (label, option) => { await panel.getByRole("combobox", { name: label, exact: true }).selectOption(option); await settle(page); },
    operator: async (words) => {
      const options = await panel.getByRole("combobox", { name: "Operator" }).locator("option").allTextContents();
      const at = options.findIndex((text) => words.every((word) => text.split(" ").includes(word)));
      assert.ok(at >= 0, `${words.join(" ")} is offered`);
      await panel.getByRole("combobox", { name: "Operator" }).selectOption({ index: at });
      await settle(page);
      return options[at];
    },
    gain: async () => number(/, ([0-9.]+×) as fast/.exec(await said.textContent())[1]),
    figure: async (pattern) => number(pattern.exec(await said.textContent())[1]),
  };
};

/** A memory-bound point with half the bytes is twice as fast (the model's case of a cache in int8 instead of fp16). */
export async function slidersFollowTheModel({ browser, measured }) {
  const { page, complaints, panel, said, set, gain } = await panelOf(browser, [zen4(measured)], "sliders.html");
  await set("Bytes that it moves", -1);
  assert.equal(await gain(), 2, "half the bytes");
  assert.ok((await page.locator(".over path.ghost").count()) === 1, "the chart shows where it goes");
  const ring = await page.locator(".over path.ghost").boundingBox(), slider = await panel.getByRole("slider", { name: "Bytes that it moves" }).boundingBox();
  for (const box of [ring, slider]) assert.ok(box.y >= 0 && box.y + box.height <= 900, "the slider and what it moves are seen at once");
  await page.keyboard.press("Escape");
  await settle(page);
  assert.equal(await page.locator(".over path.ghost").count(), 0, "a panel that is closed leaves nothing behind");
  await page.getByRole("button", { name: "What if?", exact: true }).first().click();
  await settle(page);
  assert.equal(await page.locator(".over path.ghost").count(), 1, "and is as it was when it is opened again");
  await set("Bytes that it moves", 0);
  await set("Speed of the memory", 1);
  assert.equal(await gain(), 2, "twice the bandwidth");
  await set("Speed of the memory", 0);
  await set("Speed of its units", 2);
  assert.equal(await gain(), 1, "four times the peak gains nothing left of the ridge");
  assert.match(await said.textContent(), /the memory decides/);
  await set("Operations", 4);
  await set("Speed of its units", -4);
  assert.match(await said.textContent(), /the arithmetic decides/);
  await panel.getByRole("button", { name: "As it is" }).click();
  await settle(page);
  assert.equal(await page.locator(".over path.ghost").count(), 0);
  assert.deepEqual(complaints, []);
  await page.close();
}

/** A product m x n x k in fp32 reads 4 (m k + k n) byte and writes 4 m n: a batch of another size by that formula. */
export async function batchMultipliesAllButTheWeights({ browser, measured }) {
  const { page, complaints, set, operator, figure, panel } = await panelOf(browser, [zen4(measured)], "batch.html");
  assert.equal(await panel.getByRole("slider", { name: "Batch" }).isDisabled(), true, "the first operator is no product");
  const text = await operator(["gemm", "fp32", "openblas"]);
  const [m, n, k] = ["m", "n", "k"].map((name) => Number(new RegExp(`[ ,]${name}=([0-9]+)`).exec(text)[1]));
  for (const [power, rows] of [[0, m], [3, 8 * m], [-3, m / 8]]) {
    await set("Batch", power);
    const bytes = 4 * (rows * k + k * n + rows * n), flops = 2 * rows * n * k;
    assert.ok(Math.abs((await figure(/moves ([0-9.]+ [kMGT]?B)/)) / bytes - 1) < 1e-3, `bytes of ${rows} rows`);
    assert.ok(Math.abs((await figure(/does ([0-9.]+ [kMGT]?FLOP)/)) / flops - 1) < 1e-3, `flops of ${rows} rows`);
  }
  assert.deepEqual(complaints, []);
  await page.close();
}

/** Precision, level, fusion and device: each by the figures of the CSV. */
export async function typesLevelsFusionAndDevices({ browser, measured }) {
  const file = zen4(measured);
  const { page, complaints, choose, operator, figure, panel, said, gain } = await panelOf(browser, [file, "H200 SXM 141GB"], "moves.html");
  const points = table([file], "points"), ceilings = table([file], "ceilings").filter((row) => row.status === "ok" && row.scope === "node");
  await operator(["relu", "fp32"]);
  const relu = points.find((row) => row.operator === "relu" && row.dtype === "fp32" && row.status === "ok");
  const bytes = Number(relu.bytes);
  await choose("Precision", "fp64");
  assert.ok(Math.abs((await figure(/moves ([0-9.]+ [kMGT]?B)/)) / (2 * bytes) - 1) < 1e-3, "fp64 is twice as wide");
  await choose("Precision", "");
  await choose("Data lie in", "L2");
  const l2 = ceilings.find((row) => row.name === "L2" && row.access === "triad");
  if (l2) assert.ok(Math.abs((await figure(/, ([0-9.]+ [munµ]?s) at least/)) / (bytes / Number(l2.value)) - 1) < 2e-3, "L2 moves the bytes");
  assert.match(await said.textContent(), /the memory decides \(L2\)/);
  await choose("Data lie in", "");
  await choose("Device", "B");
  assert.ok(Math.abs((await figure(/, ([0-9.]+ [munµ]?s) at least/)) / (bytes / 4.8e12) - 1) < 2e-3, "4.8 TB/s of the H200's datasheet");
  await operator(["elementwise_chain_unfused", "fp32"]);
  await panel.getByRole("checkbox", { name: /Fused/ }).check();
  await settle(page);
  const of = (name) => Number(points.find((row) => row.operator === name && row.dtype === "fp32" && row.status === "ok").bytes);
  const ratio = of("elementwise_chain_unfused") / of("elementwise_chain_fused");
  assert.ok(Math.abs((await gain()) / ratio - 1) < 0.01, `fused it is ${ratio} times as fast`);
  assert.deepEqual(complaints, []);
  await page.close();
}

/** Ten microseconds of launch over the difference of 1 / B, and a product over PCIe 5.0: core/questions/course has the formulas. */
export async function crossingsAreGraded({ browser, measured }) {
  const file = zen4(measured);
  const { page, complaints } = await open(browser, pageOf([file, "H200 SXM 141GB"], "crossing.html"));
  const memory = Math.max(...table([file], "ceilings").filter((row) => row.status === "ok" && row.scope === "node" && row.name === "DRAM" && row.access === "triad" && row.stores === "ordinary").map((row) => Number(row.value)));
  const item = page.locator('[data-exercise="crossing/A/B/stream"]');
  const question = await item.locator("label").textContent();
  const host = /a launch takes ([0-9.]+) (us|ns)/.exec(question), launch = host ? Number(host[1]) * (host[2] === "us" ? 1e-6 : 1e-9) : 0;
  const megabytes = (10e-6 - launch) / (1 / memory - 1 / 4.8e12) / 1e6;
  assert.match(await answer(page, "crossing/A/B/stream", megabytes.toPrecision(3)), /^Right/);
  assert.match(await item.textContent(), /right within a factor of 1\.1/);
  await item.getByRole("button", { name: "Show the working" }).click();
  assert.match(await item.locator(".working").textContent(), /^Answer: [0-9.]+ MB\. .*launch \+ bytes \/ B/);
  assert.match(await page.locator('[data-exercise="crossing/A/B/product"] label').textContent(), /63 GB\/s \(PCIe 5\.0 x16/);
  assert.deepEqual(complaints, []);
  await page.close();
}
