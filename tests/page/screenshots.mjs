// screenshots.mjs ROOT GABLE…: the pictures of the page in docs/, of data/measured. Run it by hand as run.sh runs run.mjs: GABLE_PAGE_RUN=screenshots.
import { join } from "node:path";
import { open, settle, start } from "./browser.mjs";
import { pageOf } from "./report.mjs";

const root = process.argv[2];
const file = (name) => join(root, "data/measured", `${name}.json`);
const one = pageOf([file("amd-zen-5-operators")], "shots.html");
const four = pageOf(["amd-zen-4-operators", "amd-zen-5-operators", "intel-emerald-rapids-quick", "nvidia-h200-operators"].map(file), "four.html");
const browser = await start();
for (const [name, from, width, dark] of [["page.png", one, 1280, false], ["page-dark.png", one, 1280, true], ["page-narrow.png", one, 390, false], ["page-four.png", four, 1280, false]]) {
  const { page } = await open(browser, from, { width, height: width > 400 ? 800 : 844, dark });
  if (from === one && width > 400) {
    await page.locator(".stage").focus();
    for (let i = 0; i < 39; i += 1) await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await page.locator(".stage").blur();
  }
  if (dark) {
    await page.locator(".panel").getByRole("button", { name: "What if?" }).click();
    await page.getByRole("slider", { name: "Bytes that it moves" }).fill("-2");
  }
  await settle(page);
  await page.screenshot({ path: join(root, "docs", name) });
}
await browser.close();
