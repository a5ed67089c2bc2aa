// Widths, darkness, contrast, print.
import assert from "node:assert/strict";
import { open, settle } from "./browser.mjs";
import { folder, pageOf } from "./report.mjs";
import { load, network, save } from "./results.mjs";

const several = ({ measured }) => pageOf([measured.find((file) => file.includes("amd-zen-4-operators")), measured.find((file) => file.includes("intel")), "H200 SXM 141GB"], "look.html");

export async function fitsATelephone(context) {
  for (const width of [390, 1280]) {
    const { page, complaints } = await open(context.browser, several(context), { width });
    const over = await page.evaluate(() => document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth);
    assert.equal(over, 0, `${width} pixels`);
    const outside = await page.evaluate(() => [...document.querySelectorAll("button, select, input, h1, h2, .stage")].filter((one) => !one.closest(".scroll") && one.getBoundingClientRect().right > innerWidth + 1).map((one) => one.outerHTML.slice(0, 80)));
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

/** Names of flat roofs: all within the picture, none over another one, at both widths. */
export async function namesOfRoofsAreWholeAndApart(context) {
  for (const width of [1280, 390]) {
    const { page } = await open(context.browser, several(context), { width });
    const found = await page.evaluate(() => {
      const stage = document.querySelector(".stage").getBoundingClientRect();
      const boxes = [...document.querySelectorAll(".under text.flat")].map((text) => ({ text: text.textContent, box: text.getBoundingClientRect() }));
      const wrong = boxes.filter(({ box }) => box.left < stage.left || box.right > stage.right || box.top < stage.top || box.bottom > stage.bottom).map(({ text }) => `cut: ${text}`);
      boxes.forEach((a, index) => boxes.slice(index + 1).forEach((b) => {
        const covers = a.box.left < b.box.right && b.box.left < a.box.right && a.box.top + 2 < b.box.bottom - 2 && b.box.top + 2 < a.box.bottom - 2;
        if (covers) wrong.push(`${a.text} over ${b.text}`);
      }));
      return { count: boxes.length, wrong };
    });
    assert.deepEqual(found.wrong, [], `at ${width}`);
    assert.ok(found.count >= 5, `${found.count} names at ${width}`);
    await page.close();
  }
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
