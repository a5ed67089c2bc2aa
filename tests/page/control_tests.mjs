// Every control does what it says, by mouse and by keyboard, and a link shows the same again.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { counts, open, placesOf, settle } from "./browser.mjs";
import { folder, pageOf } from "./report.mjs";
import { load, save } from "./results.mjs";

const zen4 = (measured) => measured.find((file) => file.includes("amd-zen-4-operators"));
const intel = (measured) => measured.find((file) => file.includes("intel-emerald-rapids-quick"));
const several = ({ measured }) => pageOf([zen4(measured), intel(measured), "H200 SXM 141GB"], "controls.html");
const check = async (page, name, on) => { await page.getByRole("checkbox", { name, exact: true }).setChecked(on); await settle(page); };
const press = async (page, name) => { await page.getByRole("button", { name, exact: true }).click(); await settle(page); };
const ticks = (page) => page.locator(".under g.x .tick text").allTextContents();

export async function devicesTypesPointsOfOperationAndLevels(context) {
  const { page, complaints } = await open(context.browser, several(context));
  const all = await counts(page);
  const boxes = page.locator("fieldset", { hasText: "Devices" }).getByRole("checkbox");
  assert.equal(await boxes.count(), 3);
  await boxes.nth(0).uncheck();
  await settle(page);
  const without = await counts(page);
  assert.ok(without.points < all.points && without.roofs < all.roofs);
  assert.equal(await page.locator("#operators tbody tr").filter({ hasText: /^A/ }).count(), 0, "the table follows the chart");
  await boxes.nth(0).check();
  await settle(page);
  assert.deepEqual(await counts(page), all);
  await check(page, "fp64", true);
  assert.ok((await counts(page)).roofs > all.roofs, "a type that no point has is shown on request");
  await check(page, "fp64", false);
  await check(page, "every unit", true);
  assert.ok((await counts(page)).roofs > all.roofs, "units that are not the best of their type");
  await check(page, "every unit", false);
  for (const [name, fewer] of [["fp32", "points"], ["int8", "roofs"], ["burst", "roofs"], ["datasheet", "roofs"], ["L1", "roofs"], ["DRAM", "roofs"]]) {
    await check(page, name, false);
    assert.ok((await counts(page))[fewer] < all[fewer], name);
    await check(page, name, true);
    assert.deepEqual(await counts(page), all, name);
  }
  await check(page, "bf16", true);
  const wider = await counts(page);
  for (const name of ["sustained", "library"]) {
    await check(page, name, true);
    assert.ok((await counts(page)).roofs > wider.roofs, name);
    await check(page, name, false);
  }
  await check(page, "non-temporal", true);
  assert.ok((await counts(page)).roofs > all.roofs, "non-temporal");
  assert.deepEqual(complaints, []);
  await page.close();
}

export async function linesNamesAndIntervals(context) {
  const { page } = await open(context.browser, pageOf([zen4(context.measured)], "lines.html"));
  const drawn = (selector) => page.locator(selector).count();
  for (const [name, selector] of [["lines to limits", ".over line"], ["intervals", ".under path[opacity='0.25']"]]) {
    assert.ok((await drawn(selector)) > 3, name);
    await check(page, name, false);
    assert.equal(await drawn(selector), 0, name);
  }
  assert.equal(await drawn(".over text"), 0);
  await check(page, "names", true);
  assert.ok((await drawn(".over text")) > 5, "names");
  await page.close();
}

export async function framesAndZoom(context) {
  const { page } = await open(context.browser, pageOf([zen4(context.measured)], "frames.html"));
  const machine = await ticks(page);
  await press(page, "Zoom in");
  assert.notDeepEqual(await ticks(page), machine);
  await press(page, "Machine frame");
  assert.deepEqual(await ticks(page), machine);
  await press(page, "Zoom out");
  assert.notDeepEqual(await ticks(page), machine);
  await page.locator(".stage").focus();
  await page.keyboard.press("0");
  await settle(page);
  assert.deepEqual(await ticks(page), machine);
  await page.keyboard.press("+");
  await settle(page);
  assert.notDeepEqual(await ticks(page), machine);
  await page.keyboard.press("0");
  const box = await page.locator(".stage").boundingBox();
  const middle = [box.x + box.width / 3, box.y + box.height / 2];
  await page.mouse.move(...middle);
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -300);
  await page.keyboard.up("Control");
  await settle(page);
  assert.notDeepEqual(await ticks(page), machine, "Ctrl and the wheel zoom");
  await page.keyboard.press("0");
  await settle(page);
  await page.mouse.down();
  await page.mouse.move(middle[0] + 150, middle[1] + 40, { steps: 4 });
  await page.mouse.up();
  await settle(page);
  assert.notDeepEqual(await ticks(page), machine, "dragging moves");
  await press(page, "Reset all");
  assert.deepEqual(await ticks(page), machine);
  await page.close();
}

/** What no wheel does: without Ctrl the page scrolls. */
export async function theWheelAloneScrolls(context) {
  const { page } = await open(context.browser, pageOf([zen4(context.measured)], "wheel.html"));
  const before = await ticks(page), box = await page.locator(".stage").boundingBox();
  await page.mouse.move(box.x + 200, box.y + 200);
  await page.mouse.wheel(0, 300);
  await page.waitForFunction(() => window.scrollY > 100);
  assert.deepEqual(await ticks(page), before);
  await page.close();
}

export async function badgesTellWhatIsOutside(context) {
  const result = load(zen4(context.measured));
  const far = result.points.find((point) => point.status === "ok" && point.stages[0].work[0]?.operations > 0);
  far.op = "far_away";
  far.id = "point/far_away";
  for (const stage of far.stages) {
    for (const work of stage.work) work.operations *= 1e-4;
  }
  const { page } = await open(context.browser, pageOf([save(folder, "far.json", result)], "badges.html"));
  const badge = page.locator(".badge");
  assert.ok((await badge.count()) > 0);
  assert.ok((await page.locator(".over path[transform*='rotate']").count()) > 0, "a triangle at the edge");
  await badge.first().click();
  await settle(page);
  assert.equal(await badge.count(), 0, "all points are shown");
  await page.close();
}

export async function selectIsolateAndReset(context) {
  const { page } = await open(context.browser, pageOf([zen4(context.measured)], "select.html"));
  const all = await counts(page);
  assert.ok(await page.getByRole("button", { name: "Isolate" }).isDisabled());
  const rows = page.locator("#operators tbody tr");
  const gemm = rows.filter({ hasText: "gemm" }).first(), gelu = rows.filter({ hasText: "gelu" }).first();
  await gemm.click();
  assert.equal(await gemm.getAttribute("aria-selected"), "true");
  await gelu.click({ modifiers: ["Shift"] });
  assert.equal(await page.locator(".cards .card").count(), 2);
  await press(page, "Close");
  await press(page, "Isolate");
  assert.equal((await counts(page)).points, 2);
  assert.equal(await page.getByRole("button", { name: "Isolate" }).getAttribute("aria-pressed"), "true");
  await press(page, "Clear selection");
  assert.equal((await counts(page)).points, all.points);
  assert.equal(await page.locator(".cards .card").count(), 0);
  await gemm.click();
  await gemm.click();
  assert.equal(await page.locator(".cards .card").count(), 0, "a second click takes it back");
  const roofs = page.getByRole("combobox", { name: "Roof" });
  await roofs.selectOption({ label: "DRAM triad" });
  await settle(page);
  const limited = (await counts(page)).points;
  assert.ok(limited > 0 && limited < all.points, "only the points that DRAM limits");
  const names = await page.locator("#ceilings tr.picked").count();
  assert.ok(names >= 1, "the ceiling's row is marked");
  await press(page, "Reset all");
  assert.deepEqual(await counts(page), all);
  await page.close();
}

export async function theChartByKeyboard(context) {
  const { page, complaints } = await open(context.browser, pageOf([zen4(context.measured)], "keys.html"));
  await page.locator(".stage").focus();
  await page.keyboard.press("ArrowRight");
  const first = await page.locator(".tip strong").textContent();
  assert.match(await page.locator("[aria-live=polite]").textContent(), /time .* performance .*It is/);
  await page.keyboard.press("ArrowRight");
  assert.notEqual(await page.locator(".tip strong").textContent() + (await page.locator(".tip dl").textContent()), first);
  await page.keyboard.press("ArrowLeft");
  assert.equal(await page.locator(".tip strong").textContent(), first);
  await page.keyboard.press("Enter");
  await settle(page);
  assert.equal(await page.locator(".cards .card").count(), 1);
  await page.keyboard.press("Escape");
  assert.equal(await page.locator(".tip").isVisible(), false);
  assert.deepEqual(complaints, []);
  await page.close();
}

/** By the Tab key alone every control can be reached, and each has a name. */
export async function everyControlHasANameAndIsReached(context) {
  const { page } = await open(context.browser, several(context));
  const nameless = await page.evaluate(() => [...document.querySelectorAll("button, input, select, [tabindex='0']")]
    .filter((one) => !(one.textContent.trim() || one.getAttribute("aria-label") || one.labels?.[0]?.textContent.trim())).map((one) => one.outerHTML.slice(0, 100)));
  assert.deepEqual(nameless, []);
  const controls = await page.locator("button:not(:disabled):visible, input:not(:disabled):visible, select:not(:disabled):visible").count();
  const reached = new Set();
  for (let i = 0; i < controls + 60; i += 1) {
    await page.keyboard.press("Tab");
    reached.add(await page.evaluate(() => { const one = document.activeElement; one.dataset.number ??= String(document.querySelectorAll("[data-number]").length); return `${one.tagName} ${one.dataset.number}`; }));
  }
  const fields = [...reached].filter((one) => /^(BUTTON|INPUT|SELECT) /.test(one)).length;
  assert.equal(fields, controls);
  await page.close();
  return `${controls} controls`;
}

export async function tablesSortFilterAndWalk(context) {
  const { page } = await open(context.browser, pageOf([zen4(context.measured)], "tables.html"));
  const operators = page.locator("#operators"), head = operators.getByRole("columnheader", { name: "Of its limit" });
  const column = async () => {
    const at = await head.evaluate((one) => one.cellIndex + 1);
    return (await operators.locator(`tbody td:nth-child(${at})`).allTextContents()).filter(Boolean).map(parseFloat);
  };
  await head.getByRole("button").click();
  assert.equal(await head.getAttribute("aria-sort"), "descending");
  const down = await column();
  assert.deepEqual(down, [...down].sort((a, b) => b - a));
  await head.getByRole("button").click();
  assert.equal(await head.getAttribute("aria-sort"), "ascending");
  assert.deepEqual(await column(), [...down].reverse().sort((a, b) => a - b));
  await head.getByRole("button").click();
  assert.equal(await head.getAttribute("aria-sort"), "none");
  const filter = operators.getByRole("searchbox");
  await filter.fill("gemm openblas");
  const left = await operators.locator("tbody tr").allTextContents();
  assert.ok(left.length > 0 && left.every((text) => text.includes("gemm") && text.includes("openblas")));
  await filter.fill("there is no such row");
  assert.match(await operators.locator(".count").textContent(), /no operator/i);
  await filter.fill("");
  const rows = operators.locator("tbody tr");
  await rows.first().focus();
  await page.keyboard.press("ArrowDown");
  assert.equal(await rows.nth(1).evaluate((one) => one === document.activeElement), true);
  await page.keyboard.press("Enter");
  assert.equal(await rows.nth(1).getAttribute("aria-selected"), "true");
  await page.keyboard.press("End");
  assert.equal(await rows.last().evaluate((one) => one === document.activeElement), true);
  await page.close();
}

export async function beforeAndAfter(context) {
  const files = context.noisy.filter((file) => /calm|halved/.test(file));
  const { page } = await open(context.browser, pageOf(files, "arrows.html"));
  const arrows = page.locator(".over path[stroke-opacity='0.75']"), choice = page.getByRole("combobox", { name: "Before and after" });
  assert.equal(await choice.inputValue(), "A-B", "two runs of one device open with their arrows");
  assert.ok((await arrows.count()) > 5);
  assert.ok((await page.locator(".over text[font-weight=bold]").allTextContents()).every((text) => /[0-9.]+×$/.test(text)));
  await choice.selectOption("");
  await settle(page);
  assert.equal(await arrows.count(), 0);
  await page.close();
}

export async function timeAgainstIntensity(context) {
  const { page } = await open(context.browser, pageOf([intel(context.measured)], "time.html"));
  await page.getByRole("combobox", { name: "Axis" }).selectOption("time");
  await settle(page);
  assert.match(await page.locator(".under text.title").allTextContents().then((all) => all.join()), /Time of one run/);
  assert.match((await page.locator(".under text.flat").allTextContents()).join(), /launch .*s/, "the cost of a launch is the floor");
  assert.equal((await counts(page)).roofs, 0);
  assert.equal(await page.locator(".badge").count(), 0, "every time is in the frame");
  const { places, width, height } = await placesOf(page);
  for (const [axis, long] of [[0, width], [1, height]]) {
    const along = places.map((at) => at[axis]);
    assert.ok(Math.max(...along) - Math.min(...along) > 0.5 * long, `the points fill axis ${axis}`);
  }
  await page.close();
}

export async function aLinkShowsTheSame(context) {
  const file = several(context);
  const { page } = await open(context.browser, file);
  await check(page, "sustained", true);
  await check(page, "fp64", true);
  await page.locator("fieldset", { hasText: "Devices" }).getByRole("checkbox").nth(2).uncheck();
  await page.locator("#operators tbody tr").nth(2).click();
  await press(page, "Close");
  await page.getByRole("searchbox", { name: "Search", exact: true }).fill("fp32");
  await press(page, "Zoom in");
  await page.getByRole("combobox", { name: "Colours" }).selectOption("dark");
  await press(page, "Copy link");
  const fragment = await page.evaluate(() => location.hash), seen = [await counts(page), await ticks(page), await page.locator(".cards").textContent()];
  assert.ok(fragment.length > 20);
  const again = await open(context.browser, file, { fragment });
  assert.deepEqual([await counts(again.page), await ticks(again.page), await again.page.locator(".cards").textContent()], seen);
  assert.equal(await again.page.locator("html").getAttribute("data-theme"), "dark");
  assert.deepEqual(again.complaints, []);
  await press(again.page, "Close");
  await press(again.page, "Reset all");
  await again.page.waitForFunction(() => !location.hash.includes("zoom"));
  await again.page.close();
  await page.close();
}

export async function baselineAndSections(context) {
  const files = context.noisy.filter((file) => /calm|halved/.test(file));
  const { page } = await open(context.browser, pageOf(files, "baseline.html"));
  const head = () => page.locator("#speedups thead").textContent();
  assert.match(await head(), /Time on A.*B, times as fast/);
  await page.getByRole("combobox", { name: "Baseline" }).selectOption("B");
  assert.match(await head(), /Time on B.*A, times as fast/);
  for (const button of await page.locator("nav button:visible").all()) {
    const name = await button.textContent();
    await button.click();
    assert.equal(await page.evaluate(() => document.activeElement.textContent), name);
  }
  assert.equal(await page.locator("nav button:visible", { hasText: "Overhead and batch" }).count(), 0, "what has no content has no button");
  assert.equal(await page.locator("#batches").isVisible(), false);
  assert.equal(await page.locator("nav button:visible").count(), await page.locator("main > section[id]:visible h2").count());
  assert.ok((await page.locator("#curves figure").count()) > 0);
  assert.ok((await page.locator("#ladders table").count()) >= 2);
  assert.ok((await page.locator("#warnings tbody tr").count()) > 0);
  await page.close();
}

/** Beside operators a stream of main memory is measured twice a round: of six rounds it was not measured again, of seven it was. */
export async function warningsOfRowsMeasuredAgain(context) {
  const result = load(context.measured.find((file) => file.endsWith("amd-zen-4-quick.json")));
  const rounds = { read: 6, copy: 7 };
  for (const row of [...result.ceilings, ...result.points]) {
    if (!row.sample_rounds) continue;
    const stream = row.name === "DRAM" && row.stores !== "non_temporal" && row.implementation !== "kokkos";
    const count = (stream && rounds[row.access]) || 3;
    row.sample_rounds = row.sample_rounds.map((_, i) => i % count);
  }
  const { page } = await open(context.browser, pageOf([save(folder, "again.json", result)], "again.html"));
  const retried = page.locator("#warnings tbody tr").filter({ hasText: "retried" });
  assert.deepEqual((await retried.allTextContents()).length, 1, (await retried.allTextContents()).join("; "));
  const text = await retried.textContent();
  assert.match(text, /DRAM\/copy/);
  assert.match(text, /measured in 7 rounds, usual are 6/);
  await page.close();
}

/** A point picked in the chart tells everything beside it: at the side, as high as the window; on a telephone below it. */
export async function aClickOpensAPanelBesideTheChart(context) {
  for (const [width, height] of [[1280, 800], [390, 844]]) {
    const { page, complaints } = await open(context.browser, pageOf([zen4(context.measured)], "panel.html"), { width, height });
    const panel = page.locator(".panel");
    assert.equal(await panel.isVisible(), false);
    const { margin, places } = await placesOf(page);
    await page.evaluate(() => window.scrollTo(0, 0));
    const stage = await page.locator(".stage").boundingBox();
    await page.mouse.click(stage.x + margin[0] + places[0][0], stage.y + margin[1] + places[0][1]);
    await settle(page);
    const box = await panel.boundingBox(), chart = await page.locator(".stage").boundingBox();
    assert.ok(box.y >= 0 && Math.abs(box.y + box.height - height) < 1 && box.x + box.width <= width, `within the window of ${width}`);
    if (width > 1000) {
      assert.ok(box.y === 0, "full height");
      for (const part of [".stage", ".conclusion", "nav", ".tools", "#operators"]) {
        const { x, width: wide } = await page.locator(part).first().boundingBox();
        assert.ok(x + wide <= box.x, `nothing of ${part} is covered`);
      }
    }
    else assert.ok(chart.y > -1 && chart.y + 0.8 * chart.height < box.y && box.width === width, "the chart stands above the sheet");
    const facts = await panel.locator("dt").allTextContents();
    for (const fact of ["time", "bytes", "limit", "least time", "of its limit", "best lever"]) assert.ok(facts.includes(fact), `${fact} of ${facts}`);
    await page.keyboard.press("Escape");
    assert.equal(await panel.isVisible(), false);
    await settle(page);
    const again = await page.locator(".stage").boundingBox();
    await page.mouse.click(again.x + margin[0] + places[0][0], again.y + margin[1] + places[0][1]);
    assert.equal(await panel.isVisible(), true, "the point is still selected, and its numbers come back");
    assert.deepEqual(complaints, []);
    await page.close();
  }
}

/** Wherever the point is, its box keeps off what is around it. */
export async function theBoxAtThePointerCoversNothingNear(context) {
  const { page } = await open(context.browser, several(context), { height: 800 });
  await page.locator(".stage").focus();
  for (let i = 0; i < 40; i += 1) {
    await page.keyboard.press("ArrowRight");
    const ring = await page.locator(".over circle[r='9']").last().boundingBox(), tip = await page.locator(".tip").boundingBox();
    const [x, y] = [ring.x + ring.width / 2, ring.y + ring.height / 2];
    const away = Math.max(tip.x - x, x - tip.x - tip.width, tip.y - y, y - tip.y - tip.height);
    assert.ok(away >= 30, `${away} pixels beside point ${i}`);
  }
  await page.close();
}

/** Own kernels beside Gable's operators: alone, by their words, and in colours of their own; the table follows. */
export async function ownPointsAreToldApart(context) {
  const csv = join(folder, "mine.csv");
  writeFileSync(csv, "name,dtype,flops,bytes,time_s\nsolver smooth,fp64,1e9,8e9,0.5\nsolver restrict,fp32,1e9,4e9,0.3\n");
  const { page, complaints } = await open(context.browser, pageOf([zen4(context.measured)], "own.html", ["--points", csv]), { height: 800 });
  const all = await counts(page), drawn = await placesOf(page);
  assert.equal(new Set(drawn.colours).size, 2);
  const fewest = (list) => Math.min(...[...new Set(list)].map((one) => list.filter((other) => other === one).length));
  assert.equal(fewest(drawn.colours), 2, "own ones have a colour of their own");
  const whose = page.getByRole("combobox", { name: "Whose" });
  await whose.selectOption("own");
  await settle(page);
  assert.equal((await counts(page)).points, 2);
  assert.equal(await page.locator("#operators tbody tr").count(), 2);
  await whose.selectOption("gable");
  await settle(page);
  assert.equal((await counts(page)).points, all.points - 2);
  await whose.selectOption("");
  await page.getByRole("searchbox", { name: "Search", exact: true }).fill("SMOOTH fp64");
  await settle(page);
  assert.equal((await counts(page)).points, 1);
  await press(page, "Reset all");
  assert.deepEqual(await counts(page), all);
  await page.getByRole("combobox", { name: "Colour by" }).selectOption("type");
  await settle(page);
  assert.ok(new Set((await placesOf(page)).colours).size > 2, "a colour for each type");
  assert.ok((await page.locator("fieldset", { hasText: "Colour by" }).locator(".legend li").count()) > 2);
  assert.deepEqual(complaints, []);
  await page.close();
}

/** Where time is lost, and what to do about it, is seen without scrolling to the side. */
export async function theTableShowsWhatIsLost(context) {
  const { page } = await open(context.browser, pageOf([zen4(context.measured), intel(context.measured), context.measured.find((file) => file.includes("h200-operators"))], "lost.html"), { height: 800 });
  const right = await page.locator("#operators .scroll").evaluate((one) => one.getBoundingClientRect().left + one.clientWidth);
  for (const name of ["Of its limit", "Lost", "Best lever"]) {
    const head = await page.locator("#operators").getByRole("columnheader", { name }).boundingBox();
    assert.ok(head.x + head.width <= right, `${name} ends at ${head.x + head.width} of ${right}`);
  }
  await page.close();
}
