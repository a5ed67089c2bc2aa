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
  assert.match(await answer(page, "ridge/A/fp64", String((ridge * 1.02).toPrecision(4)).replace(".", ",")), /^Right/, "with a decimal comma, too");
  for (const nonsense of ["", "-1", "<b>", "1e999999"]) assert.doesNotMatch(await answer(page, "ridge/A/fp64", nonsense), /^Right/);
  assert.deepEqual(complaints, []);
  await page.close();
}

/** Cases of the model: ridge of an A100 by its datasheet, 312e12 / 2.039e12 = 153.0 in fp16. */
export async function ridgeOfADatasheet({ browser }) {
  const { page } = await open(browser, pageOf(["A100 SXM4 80GB"], "a100.html"));
  assert.match(await answer(page, "ridge/A/fp32", "9.56"), /^Right/, "19.5e12 / 2.039e12");
  const text = await page.locator('[data-exercise="ridge/A/fp32"] .working').textContent();
  assert.match(text, /19\.5 TFLOP\/s \/ 2\.04 TB\/s = 9\.56/);
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

/** A memory-bound point with half the bytes is twice as fast (the model's case of a cache in int8 instead of fp16). */
export async function slidersFollowTheModel({ browser, measured }) {
  const { page, complaints } = await open(browser, pageOf([zen4(measured)], "sliders.html"));
  const panel = page.locator(".what-if"), said = panel.locator(".verdict");
  await panel.getByRole("combobox", { name: "Operator" }).selectOption({ index: 0 });
  const set = async (at, value) => { await panel.getByRole("slider").nth(at).fill(String(value)); await settle(page); };
  const gain = async () => number(/, ([0-9.]+×) as fast/.exec(await said.textContent())[1]);
  await set(0, -1);
  assert.equal(await gain(), 2, "half the bytes");
  assert.ok((await page.locator(".over path.ghost").count()) === 1, "the chart shows where it goes");
  await set(0, 0);
  await set(2, 1);
  assert.equal(await gain(), 2, "twice the bandwidth");
  await set(2, 0);
  await set(3, 2);
  assert.equal(await gain(), 1, "four times the peak gains nothing left of the ridge");
  assert.match(await said.textContent(), /the memory decides/);
  await set(1, 4);
  await set(3, -4);
  assert.match(await said.textContent(), /the arithmetic decides/);
  await panel.getByRole("button", { name: "As it is" }).click();
  await settle(page);
  assert.equal(await page.locator(".over path.ghost").count(), 0);
  assert.deepEqual(complaints, []);
  await page.close();
}
