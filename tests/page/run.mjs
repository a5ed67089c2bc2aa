// run.mjs ROOT GABLE…: every test of the page, each with a line of its own; exit code 1 if one fails. GABLE_PAGE_TEST
// names a part of those to run.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { start } from "./browser.mjs";
import * as campaign from "./campaign_tests.mjs";
import * as control from "./control_tests.mjs";
import * as figure from "./figure_tests.mjs";
import * as lesson from "./lesson_tests.mjs";
import * as look from "./look_tests.mjs";
import * as safety from "./safety_tests.mjs";

const root = process.argv[2];
const jsons = (path) => readdirSync(join(root, path)).filter((name) => name.endsWith(".json")).sort().map((name) => join(root, path, name));
const browser = await start();
const context = { browser, root, measured: jsons("data/measured"), noisy: jsons("tests/page/results") };
let failed = 0;
for (const [group, tests] of Object.entries({ safety, figure, control, lesson, campaign, look })) {
  for (const [name, test] of Object.entries(tests)) {
    if (process.env.GABLE_PAGE_TEST && !name.includes(process.env.GABLE_PAGE_TEST)) continue;
    try {
      const said = await test(context);
      console.log(`ok     ${group}.${name}${said ? `: ${said}` : ""}`);
    } catch (error) {
      failed += 1;
      console.log(`FAILED ${group}.${name}: ${error.stack.split("\n").slice(0, 40).join("\n         ")}`);
    }
  }
}
await browser.close();
process.exit(failed > 0 ? 1 : 0);
