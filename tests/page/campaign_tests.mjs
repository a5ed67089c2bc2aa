// A campaign's page: what is wrong stands first, everything has its figures, and nothing in a summary runs.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { open, settle } from "./browser.mjs";
import { folder, gable } from "./report.mjs";

const hostile = "GPU</script><script>window.stolen = 1</script>";
const names = Array.from({ length: 40 }, (_, index) => `n${String(index + 1).padStart(3, "0")}`);
const metrics = [{ name: "ceiling/bandwidth/HBM/read", unit: "byte/s" }, { name: "ceiling/compute/vector/fp32", unit: "flop/s" }, { name: "ceiling/overhead/launch of an empty kernel behind others, as a graph has it", unit: "s" }];

/** Forty nodes of three rows, 0.1 % apart: n007 reads 20 % slower, at 80 % of the clock; n012 launches in half of the time. */
function summaryOf(plan, name, index) {
  const own = index % 2 === 0 ? 1.001 : 0.999;
  const value = [3e12 * own * (name === "n007" ? 0.8 : 1), 6e13 * own, 2e-6 * (name === "n012" ? 0.5 : 1)];
  return {
    format: "gable-campaign-summary", schema_version: 1, plan, node: name, retest: 0, measured_at: "2026-11-24T12:00:00Z", mode: "quick", failure: "",
    devices: [{ id: "cuda:0", name: hostile }], facts: [], metrics, metrics_left_out: 0, not_ok: [], held_back: name === "n007" ? [{ row: 0, by: "thermal" }] : [],
    rows: { metric: [0, 1, 2], device: [0, 0, 0], value, low: value.map((one) => one * 0.999), high: value.map((one) => one * 1.001), clock_hz: [name === "n007" ? 1.6e9 : 2e9, 2e9, 2e9], power_w: [], temperature_c: [] },
  };
}

/** Its page; made once. */
let made = "";
function pageOfCampaign() {
  if (made) return made;
  const campaign = join(folder, "campaign");
  const begun = gable(["campaign", "init", campaign, "--operator", "triad", "--nodes", "n[001-040]"]);
  assert.equal(begun.status, 0, begun.stderr);
  const plan = JSON.parse(readFileSync(join(campaign, "plan.json"), "utf8")).id;
  names.forEach((name, index) => writeFileSync(join(campaign, "nodes", `${name}.summary.json`), JSON.stringify(summaryOf(plan, name, index))));
  made = join(folder, "campaign.html");
  const done = gable(["campaign", "report", campaign, "--output", made, "--title", "Acceptance of the new rack"]);
  assert.equal(done.status, 1, done.stderr);  // a node is flagged
  return made;
}

const view = (page) => page.locator(".gable-heat-map");
const told = (page) => view(page).evaluate((one) => ({ ...one.dataset }));
const choose = async (page, label, text) => { await page.getByLabel(label, { exact: true }).selectOption({ label: text }); await settle(page); };

export async function theSlowestNodeStandsFirst({ browser }) {
  const { page, complaints } = await open(browser, pageOfCampaign());
  const { nodes, rows, first, row } = await told(page);
  assert.deepEqual([nodes, rows, first, row], ["40", "3", "n007", "cuda:0 ceiling/bandwidth/HBM/read"]);
  assert.equal(await page.locator("h1").textContent(), "Acceptance of the new rack");
  const lead = page.locator(".lead");
  assert.match(await lead.textContent(), /^39 of 40 nodes pass; 1 flagged: n007\. The largest loss is 19\.8 % of ceiling\/bandwidth\/HBM\/read on n007 \(.*thermal/);
  assert.ok((await lead.boundingBox()).y < (await view(page).boundingBox()).y, "the verdict stands above the map");
  assert.match(await page.locator("#report tbody").first().textContent(), /n007/);
  assert.equal(await page.evaluate(() => typeof window.stolen), "undefined", "a name was executed");
  assert.deepEqual(complaints, []);
  await page.close();
}

export async function everyFigureIsTold({ browser }) {
  const { page } = await open(browser, pageOfCampaign());
  const { left, top } = await told(page), box = await view(page).boundingBox();
  await page.mouse.move(box.x + Number(left) + 5, box.y + Number(top) + 5);
  const tip = page.locator(".tip");
  assert.match(await tip.textContent(), /n007.*2\.402 TB\/s.*2\.997 TB\/s.*slower.*flagged.*thermal/s);
  await view(page).focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowRight");
  assert.equal(await tip.isVisible(), true);
  assert.match(await page.locator(".unseen").first().textContent(), /median/);
  await page.keyboard.press("Escape");
  assert.equal(await tip.isVisible(), false);
  await page.close();
}

export async function nodesAndRowsAreOrderedAndFiltered({ browser }) {
  const { page, complaints } = await open(browser, pageOfCampaign());
  await choose(page, "Order nodes by", "name");
  assert.equal((await told(page)).first, "n001");
  await choose(page, "Order nodes by", "the loss of cuda:0 ceiling/compute/vector/fp32");
  assert.equal((await told(page)).first, "n002", "n007 is slow elsewhere, and 0.1 % faster here");
  await page.getByLabel("Filter nodes", { exact: true }).fill("n01");
  await page.getByLabel("Filter rows", { exact: true }).fill("ceiling read");
  await settle(page);
  let { nodes, rows } = await told(page);
  assert.deepEqual([nodes, rows], ["10", "1"]);
  await page.getByLabel("Filter nodes", { exact: true }).fill("");
  await page.getByLabel("Filter rows", { exact: true }).fill("");
  await page.getByRole("checkbox", { name: "only what the report found", exact: true }).check();
  await settle(page);
  ({ nodes, rows } = await told(page));
  assert.deepEqual([nodes, rows], ["1", "1"]);
  assert.deepEqual(complaints, []);
  await page.close();
}

/** Colours of cells are those of their losses: red where it is slow, blue where it is fast, the ground at the median. */
export async function coloursAreLosses({ browser }) {
  const { page } = await open(browser, pageOfCampaign());
  const { left, top } = await told(page);
  const pixel = (line, column) => page.evaluate(([x, y]) => {
    const canvas = document.querySelector(".gable-heat-map canvas"), ratio = window.devicePixelRatio || 1;
    return [...canvas.getContext("2d").getImageData(Math.round(x * ratio), Math.round(y * ratio), 1, 1).data].slice(0, 3);
  }, [Number(left) + 18 * column + 5, Number(top) + 18 * line + 5]);
  assert.deepEqual(await pixel(0, 0), [213, 94, 0], "20 % slower");
  const [red, green, blue] = await pixel(0, 1);
  assert.ok(Math.min(red, green, blue) > 240, "0.1 % beside the median is hardly coloured");
  await page.getByLabel("Filter nodes", { exact: true }).fill("n012");
  await page.getByLabel("Filter rows", { exact: true }).fill("launch");
  await settle(page);
  assert.deepEqual(await pixel(0, 0), [0, 114, 178], "half of the time");
  await page.close();
}

export async function namesBesideTheMapAreWhole({ browser }) {
  const { page } = await open(browser, pageOfCampaign());
  const { top, left, needed } = await page.evaluate((longest) => {
    const view = document.querySelector(".gable-heat-map"), brush = document.createElement("canvas").getContext("2d");
    brush.font = "11px system-ui, sans-serif";
    return { ...view.dataset, needed: [`cuda:0 ${longest}`, "n001"].map((text) => brush.measureText(text).width) };
  }, metrics[2].name);
  assert.ok(Number(top) >= needed[0] && Number(left) >= needed[1], `${top} and ${left} for ${needed}`);
  assert.ok((await view(page).boundingBox()).height >= Number(top) + 10 * 18, "and there is room for nodes below them");
  await page.close();
}
