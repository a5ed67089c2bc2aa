// Nothing in a result runs, nothing is fetched, nothing complains.
import assert from "node:assert/strict";
import { statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { open, settle } from "./browser.mjs";
import { folder, pageOf, read, run } from "./report.mjs";
import { empty, hostile, hostileNames, load, manyPoints, save } from "./results.mjs";

async function quiet(browser, file, check = async () => {}) {
  const { page, complaints } = await open(browser, file);
  await check(page);
  await settle(page);
  assert.equal(await page.evaluate(() => typeof window.stolen), "undefined", "a name was executed");
  assert.equal(await page.evaluate(() => document.querySelectorAll("script").length), 2, "its data and its own script");
  assert.equal(await page.evaluate(() => document.querySelectorAll("img, iframe, object, embed, link, base, form").length), 0);
  assert.deepEqual(complaints, [], basename(file));
  await page.close();
}

export async function everyMeasuredFile({ browser, measured, noisy }) {
  for (const file of [...measured, ...noisy]) await quiet(browser, pageOf([file], `one-${basename(file)}.html`));
  return `${measured.length + noisy.length} files`;
}

export async function tenResultsAreSmall({ browser, measured, noisy }) {
  const more = load(noisy[0]);
  more.run.hostname = "other";
  const files = [...measured, ...noisy, save(folder, "tenth.json", more)].slice(0, 10);
  assert.equal(files.length, 10);
  const page = pageOf(files, "ten.html");
  assert.ok(statSync(page).size < 2.5e6, `${statSync(page).size} bytes`);
  await quiet(browser, page);
  return `${Math.round(statSync(page).size / 1000)} kB`;
}

export async function tenThousandPoints({ browser, measured }) {
  const base = load(measured.find((file) => file.includes("amd-zen-4-operators")));
  const files = Array.from({ length: 10 }, (_, index) => save(folder, `many${index}.json`, manyPoints(base, `host${index}`, 1000)));
  const file = pageOf(files, "many.html"), bytes = statSync(file).size, one = statSync(pageOf(files.slice(0, 1), "thousand.html")).size;
  assert.ok(one < 2.5e6, `${one} bytes of 1000 points`);
  assert.ok(bytes < 10 * one, `${bytes} bytes of 10000`);
  let ready = "";
  await quiet(browser, file, async (page) => {
    assert.equal(await page.locator(".stage").getAttribute("data-points"), "10000");
    ready = await page.locator("html").getAttribute("data-ready");
    await page.getByRole("button", { name: "Zoom in" }).click();
    await settle(page);
    assert.match(await page.locator("#operators .count").textContent(), /100 of 10000 rows/);
    assert.ok((await page.locator("#batches figure").count()) > 0, "time against m, where an operator ran in many sizes");
    await page.getByRole("button", { name: "Show more rows" }).first().click();
    assert.match(await page.locator("#operators .count").textContent(), /500 of 10000 rows/);
  });
  assert.ok(Number(ready) < 10000, `to be used after ${ready} ms`);  // 350 ms where nothing else runs
  return `${Math.round(one / 1000)} and ${Math.round(bytes / 1000)} kB, to be used after ${ready} ms on this machine`;
}

export async function hostileNamesAreTexts({ browser, measured }) {
  const base = load(measured.find((file) => file.includes("amd-zen-4-operators")));
  const file = pageOf([save(folder, "hostile.json", hostileNames(base))], "hostile.html", ["--title", hostile.close]);
  assert.ok(!read(file).slice(read(file).indexOf('id="plot-data"') + 20).split("</script>")[0].includes("<"), "no '<' stands in the data");
  await quiet(browser, file, async (page) => {
    assert.equal(await page.locator("h1").textContent(), hostile.close);
    const names = await page.locator("#operators tbody tr td:nth-child(1)").allTextContents();
    assert.ok(names.includes(hostile.script), "the name is shown as it is");
    assert.ok(!names.some((name) => name.includes("\u202e")), "no name turns the direction of writing");
    assert.ok(names.every((name) => name.length <= 200), "a name of 10 kB is cut");
    await page.locator(".stage").focus();
    for (let i = 0; i < 12; i += 1) await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await page.locator("summary").first().click();
    const wide = await page.evaluate(() => document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth);
    assert.equal(wide, 0, "a long name does not widen the page");
  });
}

export async function emptyResults({ browser, measured }) {
  const file = pageOf([save(folder, "empty.json", empty(load(measured[0])))], "empty.html");
  await quiet(browser, file, async (page) => {
    assert.match(await page.locator(".nothing").textContent(), /nothing to draw/i);
    for (const name of ["All points", "Machine frame", "Zoom in", "Reset all", "SVG"]) await page.getByRole("button", { name, exact: true }).click();
  });
}

export async function datasheetsAlone({ browser }) {
  await quiet(browser, pageOf(["T4", "H200 SXM 141GB"], "sheets.html"), async (page) => {
    assert.equal(await page.locator(".stage").getAttribute("data-points"), "0");
    assert.ok(Number(await page.locator(".stage").getAttribute("data-roofs")) > 5);
  });
}

export async function strangeFragments({ browser, measured }) {
  const file = pageOf([measured[0]], "fragments.html");
  for (const fragment of ["#%", "#devices=%25E0%25A4%25A&zoom=1,2", "#zoom=NaN,1,2,3&view=<b>&at=nothing", "#selected=A~<script>&roof=x&theme=__proto__", "#zoom=5,1,9,2", `#selected=${"x".repeat(10000)}`]) {
    const { page, complaints } = await open(browser, file, { fragment });
    assert.deepEqual(complaints, [], fragment.slice(0, 60));
    assert.ok(Number(await page.locator(".stage").getAttribute("data-roofs")) > 0, fragment.slice(0, 60));
    await page.close();
  }
}

/** The policy lets nothing else run: a script that somebody puts in is refused. */
export async function policyHolds({ browser, measured }) {
  const file = pageOf([measured[0]], "policy.html");
  const text = read(file);
  assert.match(text, /Content-Security-Policy" content="default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; img-src data: blob:; base-uri 'none'; form-action 'none'"/);
  assert.ok(!/https?:\/\/(?!www\.w3\.org\/)/.test(text.split('id="plot-data"')[0]), "no address but those of name spaces");
  const { page, complaints } = await open(browser, file);
  await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "window.stolen = 1";
    document.body.append(script);
  });
  await settle(page);
  assert.equal(await page.evaluate(() => typeof window.stolen), "undefined");
  assert.equal(complaints.length, 1, complaints.join("\n"));
  assert.match(complaints[0], /Content Security Policy/);
  await page.close();
}

export async function bundlesOfOthers({ measured }) {
  const no = join(folder, "no-bundle.html");
  writeFileSync(no, "<html></html>");
  for (const [bundle, says] of [[join(folder, "missing.html"), /missing\.html/], [no, /is no bundle of the page/]]) {
    const done = run([measured[0], "--output", join(folder, "x.html")], { GABLE_PAGE_BUNDLE: bundle });
    assert.equal(done.status, 2, done.stderr);
    assert.match(done.stderr, says);
    assert.equal(done.stderr.trim().split("\n").length, 1);
  }
}
