// Widths, darkness, contrast, print.
import assert from "node:assert/strict";
import { open, settle } from "./browser.mjs";
import { folder, pageOf, table } from "./report.mjs";
import { load, network, save } from "./results.mjs";

const several = ({ measured }) => pageOf([measured.find((file) => file.includes("amd-zen-4-operators")), measured.find((file) => file.includes("intel")), "H200 SXM 141GB"], "look.html");

export async function fitsATelephone(context) {
  for (const width of [390, 1280]) {
    const { page, complaints } = await open(context.browser, several(context), { width });
    const over = await page.evaluate(() => document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth);
    assert.equal(over, 0, `${width} pixels`);
    const outside = await page.evaluate(() => [...document.querySelectorAll("button, select, input, h1, h2, .stage")].filter((one) => !one.closest(".scroll, nav") && one.getBoundingClientRect().right > innerWidth + 1).map((one) => one.outerHTML.slice(0, 80)));
    assert.deepEqual(outside, []);
    await page.setViewportSize({ width: 700, height: 900 });
    await settle(page);
    assert.equal(await page.locator(".stage .under").evaluate((svg) => svg.getBoundingClientRect().right <= innerWidth), true, "the chart follows the window");
    assert.deepEqual(complaints, []);
    await page.close();
  }
}

/** WCAG 2.1: 4.5 for text, 3 for what is no text. */
export async function contrastIsEnough(context) {
  for (const dark of [false, true]) {
    const { page } = await open(context.browser, several(context), { dark });
    assert.equal(await page.locator("html").getAttribute("data-theme"), dark ? "dark" : "light");
    const low = await page.evaluate(() => {
      const light = (colour) => {
        const [r, g, b] = colour.match(/[0-9.]+/g).map(Number).map((part) => { const one = part / 255; return one <= 0.03928 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4; });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const contrast = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
      const ground = (one) => { for (let at = one; at; at = at.parentElement) { const colour = getComputedStyle(at).backgroundColor; if (!/, 0\)$/.test(colour) && colour !== "transparent") return colour; } return "rgb(255,255,255)"; };
      const found = [];
      for (const one of document.querySelectorAll("body *:not(script):not(style)")) {
        if (one.closest("svg, [hidden], .unseen, caption") || one.disabled || ![...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim())) continue;
        const ratio = contrast(getComputedStyle(one).color, ground(one));
        if (ratio < 4.5) found.push(`${one.tagName} "${one.textContent.trim().slice(0, 30)}" ${ratio.toFixed(2)}`);
      }
      const paper = getComputedStyle(document.body).backgroundColor;
      const asRgb = (hex) => `rgb(${[1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)).join()})`;
      for (const text of document.querySelectorAll(".stage text, figure text")) {
        const ratio = contrast(asRgb(text.getAttribute("fill")), paper);
        if (ratio < 4.5) found.push(`text in a chart "${text.textContent.slice(0, 30)}" ${ratio.toFixed(2)}`);
      }
      for (const line of document.querySelectorAll(".under path[fill=none][stroke-width]")) {
        const ratio = contrast(asRgb(line.getAttribute("stroke")), paper);
        if (ratio < 3) found.push(`line ${line.getAttribute("stroke")} ${ratio.toFixed(2)}`);
      }
      return found;
    });
    assert.deepEqual([...new Set(low)], [], dark ? "dark" : "light");
    await page.close();
  }
}

export async function colours(context) {
  const { page } = await open(context.browser, several(context));
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  assert.equal(await ground(), "rgb(255, 255, 255)");
  await page.getByRole("combobox", { name: "Colours" }).selectOption("dark");
  assert.notEqual(await ground(), "rgb(255, 255, 255)");
  await page.getByRole("combobox", { name: "Colours" }).selectOption("auto");
  assert.equal(await ground(), "rgb(255, 255, 255)");
  await page.emulateMedia({ colorScheme: "dark" });
  await settle(page);
  assert.notEqual(await ground(), "rgb(255, 255, 255)", "it follows the system");
  await page.close();
}

export async function prints(context) {
  const { page, complaints } = await open(context.browser, several(context), { dark: true });
  const pdf = await page.pdf({ format: "A4" });
  assert.equal(pdf.subarray(0, 4).toString(), "%PDF");
  await page.emulateMedia({ media: "print" });
  assert.equal(await page.locator("nav").isVisible(), false);
  assert.equal(await page.locator(".tools").isVisible(), false);
  assert.equal(await page.locator(".stage").isVisible(), true);
  assert.equal(await page.locator("#operators table").isVisible(), true);
  assert.deepEqual(complaints, []);
  await page.close();
}

/** Every chart of a dark page is drawn in dark ink for paper, and in pale ink again behind that. */
export async function darkPagesPrintDarkInk({ browser, noisy }) {
  const file = noisy.find((one) => one.includes("calm"));
  const inks = (page) => page.evaluate(() => Object.fromEntries([[".stage", "#roofline"], ["#curves figure", "#curves"], ["#messages figure", "#messages"]]
    .map(([chart, name]) => [name, [...new Set([...document.querySelectorAll(`${chart} svg .tick text`)].map((text) => text.getAttribute("fill")))].join()])
    .filter(([, ink]) => ink !== "")));
  for (const [files, charts] of [[[file], ["#roofline", "#curves"]], [[save(folder, "printed-network.json", network(load(file)))], ["#messages"]]]) {
    const { page, complaints } = await open(browser, pageOf(files, "printed.html"), { dark: true });
    const screen = await inks(page);
    for (const chart of charts) assert.equal(screen[chart], "#ececec", `${chart} of a dark page`);
    await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
    const printed = await inks(page);
    for (const chart of charts) assert.equal(printed[chart], "#222222", `${chart} on paper`);
    assert.equal(await page.locator("html").getAttribute("data-theme"), "light");
    await page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
    assert.deepEqual(await inks(page), screen);
    assert.equal(await page.locator("html").getAttribute("data-theme"), "dark");
    assert.deepEqual(complaints, []);
    await page.close();
  }
}

/** Names of roofs: all within the picture, none over another one, at both widths. */
export async function namesOfRoofsAreWholeAndApart(context) {
  const four = ["zen-4-operators", "zen-5-operators", "intel-emerald-rapids-quick", "h200-operators"].map((name) => context.measured.find((file) => file.includes(name)));
  for (const [width, file] of [1280, 390].flatMap((one) => [[one, several(context)], [one, pageOf(four, "four.html")]])) {
    const { page } = await open(context.browser, file, { width });
    const found = await page.evaluate(() => {
      const stage = document.querySelector(".stage").getBoundingClientRect();
      const boxes = [...document.querySelectorAll(".under text.flat")].map((text) => ({ text: text.textContent, box: text.getBoundingClientRect() }));
      const slopes = [...document.querySelectorAll(".under text.slope")].map((text) => ({ text: text.textContent, box: text.getBoundingClientRect(),
        at: [0, 0.25, 0.5, 0.75, 1].map((part) => new DOMPoint(part * text.getComputedTextLength(), -4).matrixTransform(text.getScreenCTM())) }));
      const wrong = boxes.filter(({ box }) => box.left < stage.left || box.right > stage.right || box.top < stage.top || box.bottom > stage.bottom).map(({ text }) => `cut: ${text}`);
      boxes.forEach((a, index) => boxes.slice(index + 1).forEach((b) => {
        const covers = a.box.left < b.box.right && b.box.left < a.box.right && a.box.top + 2 < b.box.bottom - 2 && b.box.top + 2 < a.box.bottom - 2;
        if (covers) wrong.push(`${a.text} over ${b.text}`);
      }));
      slopes.forEach((slope, index) => {
        if (slope.box.left < stage.left || slope.box.right > stage.right) wrong.push(`cut: ${slope.text}`);
        for (const { text, box } of boxes) if (slope.at.some(({ x, y }) => x > box.left && x < box.right && y > box.top && y < box.bottom)) wrong.push(`${slope.text} over ${text}`);
        for (const other of slopes.slice(index + 1)) if (slope.at.some((one) => other.at.some((two) => Math.hypot(one.x - two.x, one.y - two.y) < 9))) wrong.push(`${slope.text} over ${other.text}`);
      });
      return { count: boxes.length, wrong };
    });
    assert.deepEqual(found.wrong, [], `at ${width}`);
    assert.ok(found.count >= (width > 1000 ? 5 : 2), `${found.count} names at ${width}`);
    await page.close();
  }
}

/** The first screen: the machine, what limits most of its time by the CSV's figures, and the picture, without scrolling. */
export async function theFirstScreenSaysWhatTheFileShows({ browser, measured }) {
  const file = measured.find((one) => one.includes("amd-zen-5-operators"));
  const rows = table([file], "points").filter((row) => row.status === "ok" && row.regime), of = {};
  for (const row of rows) of[row.regime] = (of[row.regime] ?? 0) + Number(row.time_s) * Number(row.count || 1);
  const all = Object.values(of).reduce((a, b) => a + b), [regime, most] = Object.entries(of).sort(([, a], [, b]) => b - a)[0];
  for (const [width, height] of [[1280, 800], [390, 844]]) {
    const { page, complaints } = await open(browser, pageOf([file], "first.html"), { width, height });
    const said = page.locator(".conclusion"), text = await said.textContent();
    assert.match(text, new RegExp(`^AMD EPYC.*: ${Math.round((100 * most) / all)} % of the .* of ${new Set(rows.map((row) => row.operator)).size} operators is ${regime.replace("_", "-")} \\(DRAM\\); best lever: .* less time`));
    for (const part of [said, page.locator(".stage")]) {
      const box = await part.boundingBox();
      assert.ok(box.y >= 0 && box.y + box.height <= height, `${box.y} to ${box.y + box.height} of ${height}`);
    }
    assert.deepEqual(complaints, []);
    await page.close();
  }
}

/** Of a file without operators: the highest peak and its ridge, of an A100 by its datasheet 1248e12 / 2.039e12 = 612 in int4. */
export async function theFirstScreenOfADatasheet({ browser }) {
  const { page } = await open(browser, pageOf(["A100 SXM4 80GB"], "sheet.html"));
  assert.match(await page.locator(".conclusion").textContent(), /^A100.*: [Aa]t most 1\.25 P.*less than 612 op\/byte is memory-bound there/);
  await page.close();
}

/** WCAG 2.5.5: a finger needs 44 pixels. */
export async function targetsOfATelephoneAreLarge(context) {
  const { page } = await open(context.browser, several(context), { width: 390, height: 844 });
  await page.locator("#operators tbody tr").first().click();
  const small = await page.evaluate(() => [...document.querySelectorAll("button, select, input:not([type=checkbox]), label.box, summary")].filter((one) => one.checkVisibility() && one.getBoundingClientRect().height < 43.5)
    .map((one) => `${one.getBoundingClientRect().height}: ${one.outerHTML.slice(0, 80)}`));
  assert.deepEqual(small, []);
  await page.close();
}

/** Ten devices: every one has a colour of its own, and from the seventh on markers and lines are hollow. */
export async function tenDevicesAreToldApart({ browser, measured }) {
  const sheets = ["A100 SXM4 80GB", "A100 PCIe 80GB", "H100 SXM5 80GB", "H200 SXM 141GB", "T4", "L40S", "MI300X", "MI250X (per GCD)", "MI210"];
  const { page, complaints } = await open(browser, pageOf([measured[0], ...sheets], "ten.html"));
  const swatches = await page.locator("fieldset", { hasText: "Devices" }).locator(".swatch").evaluateAll((list) => list.map((one) => [one.style.borderColor, one.style.backgroundColor === one.style.borderColor]));
  assert.equal(swatches.length, 10);
  assert.equal(new Set(swatches.map(([colour]) => colour)).size, 10);
  assert.deepEqual(swatches.map(([, filled]) => filled), [true, true, true, true, true, true, false, false, false, false]);
  const cores = await page.locator(".under path[stroke-width='1.2'][fill=none]:not(.roof)").count();
  assert.ok(cores >= 4, "lines of the last four have a light core");
  assert.deepEqual(complaints, []);
  await page.close();
}
