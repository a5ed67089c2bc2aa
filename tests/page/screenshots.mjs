// screenshots.mjs ROOT GABLE…: the pictures of the page in docs/, of data/measured. Run it by hand as run.sh runs run.mjs: GABLE_PAGE_RUN=screenshots.
import { join } from "node:path";
import { open, settle, start } from "./browser.mjs";
import { pageOf } from "./report.mjs";

const root = process.argv[2];
const file = (name) => join(root, "data/measured", `${name}.json`);
const page1 = pageOf([file("amd-zen-4-operators"), file("intel-emerald-rapids-quick"), "T4"], "shots.html");
const browser = await start();
for (const [name, width, height, dark] of [["page.png", 1280, 760, false], ["page-dark.png", 1280, 760, true], ["page-narrow.png", 390, 800, false]]) {
  const { page } = await open(browser, page1, { width, height, dark });
  await page.locator(".stage").focus();
  for (let i = 0; i < 24 && width > 400; i += 1) await page.keyboard.press("ArrowRight");
  await settle(page);
  await page.screenshot({ path: join(root, "docs", name) });
}
await browser.close();
