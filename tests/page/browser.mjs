// A headless Chromium, and pages whose every complaint and every request is kept.
import { chromium } from "playwright-core";
import { pathToFileURL } from "node:url";

const flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

export const start = () => chromium.launch({ executablePath: process.env.GABLE_CHROMIUM, args: flags });

/** Opens a file and waits until all of it is there. `complaints` must stay empty. */
export async function open(browser, file, { width = 1280, height = 900, dark = false, fragment = "" } = {}) {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme: dark ? "dark" : "light", acceptDownloads: true });
  const complaints = [], address = pathToFileURL(file).href;
  page.on("console", (message) => complaints.push(`console ${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => { complaints.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on("request", (request) => {
    const url = request.url();
    if (url.split("#")[0] !== address && !url.startsWith("blob:")) complaints.push(`request: ${url.slice(0, 200)}`);
  });
  await page.goto(address + fragment);
  await page.waitForSelector("html[data-complete]", { timeout: 30000 }).catch(() => {
    throw new Error(`${file} does not come to its end: ${complaints.join("; ")}`);
  });
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  return { page, complaints };
}

/** Two frames later everything that was asked for is drawn. */
export const settle = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 30)))));

export const counts = (page) => page.evaluate(() => ({ points: Number(document.querySelector(".stage").dataset.points), roofs: Number(document.querySelector(".stage").dataset.roofs) }));

export async function download(page, name) {
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name, exact: true }).click()]);
  const chunks = [];
  for await (const chunk of await file.createReadStream()) chunks.push(chunk);
  return { name: file.suggestedFilename(), bytes: Buffer.concat(chunks) };
}

/** Where the markers of the saved picture stand within its plot. */
export async function placesOf(page) {
  const svg = (await download(page, "SVG")).bytes.toString("utf8");
  return page.evaluate((text) => {
    const xml = new DOMParser().parseFromString(text, "image/svg+xml"), area = xml.querySelector("clipPath rect");
    const at = (node) => /translate\(([-0-9.]+),([-0-9.]+)\)/.exec(node.getAttribute("transform")).slice(1).map(Number);
    return { margin: at(xml.querySelector("g.points")), width: Number(area.getAttribute("width")), height: Number(area.getAttribute("height")),
      places: [...xml.querySelectorAll("g.points path")].map(at), colours: [...xml.querySelectorAll("g.points path")].map((path) => path.getAttribute("fill")) };
  }, svg);
}
