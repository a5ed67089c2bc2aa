// The figures of the page are those of the CSV tables, and those of the pictures it saves.
import assert from "node:assert/strict";
import { download, open } from "./browser.mjs";
import { folder, number, pageOf, table } from "./report.mjs";
import { load, network, save } from "./results.mjs";

/** Rows of one of the page's tables, by heading. */
async function rowsOf(page, id) {
  const more = page.locator(`#${id} .more`).first();
  while (await more.isVisible()) await more.click();
  return page.evaluate((section) => {
    const one = document.querySelector(`#${section} table`);
    const heads = [...one.querySelectorAll("thead th")].map((head) => head.textContent);
    return [...one.querySelectorAll("tbody tr")].map((row) => Object.fromEntries([...row.cells].map((cell, index) => [heads[index], cell.textContent])));
  }, id);
}

/** What the page shows has four digits. */
function close(text, cell, what, within = 6e-4) {
  if (cell === "") return assert.equal(text ?? "", "", what);
  const value = Number(cell), shown = number(text);
  assert.ok(Math.abs(shown - value) <= within * Math.abs(value), `${what}: ${text} beside ${cell}`);
}

export async function tablesAreThoseOfTheCsv({ browser, measured, noisy }) {
  let compared = 0;
  for (const file of [...measured, ...noisy]) {
    const { page } = await open(browser, pageOf([file], "figures.html"));
    const ceilings = table([file], "ceilings"), points = table([file], "points");
    const shown = await rowsOf(page, "ceilings");
    assert.equal(shown.length, ceilings.length);
    shown.forEach((row, index) => {
      close(row.Value, ceilings[index].value, `${file}: ${ceilings[index].id}`);
      close(row.Clock, ceilings[index].clock_hz, `${file}: clock of ${ceilings[index].id}`);
      assert.equal(row.Status, ceilings[index].status);
      compared += 1;
    });
    if (points.length > 0) {
      const operators = await rowsOf(page, "operators");
      assert.equal(operators.length, points.length);
      operators.forEach((row, index) => {
        const of = points[index];
        assert.equal(row.Operator, of.operator);
        close(row.Time, of.time_s, of.id);
        close(row.Performance, of.flop_per_s, of.id);
        close(row.Traffic, of.byte_per_s, of.id);
        close(row.Intensity, Number(of.intensity) > 0 ? of.intensity : "", of.id);
        assert.equal(row.Limit ?? "", of.limit);
        compared += 1;
      });
    }
    await page.close();
  }
  return `${compared} rows`;
}

/** Where a profiler counted the bytes of caches, too, a line from intensity to intensity joins them: 4 times the bytes of memory are a quarter. */
export async function levelsOfAKernelAreJoined({ browser, measured }) {
  const base = load(measured.find((file) => file.includes("amd-zen-4-quick")));
  const point = base.points.find((one) => one.status === "ok" && one.stages.length === 1 && one.stages[0].work.length === 1);
  const stage = point.stages[0], bytes = stage.bytes_read + stage.bytes_written + (stage.bytes_updated ?? 0);
  stage.inner = [{ level: "L1", bytes: 4 * bytes }, { level: "L2", bytes: 2 * bytes }];
  const time = point.time_s;
  point.imported = { tool: "ncu", file: "a.csv", counters: ["dram__bytes.sum"], operations: [], unknown: [], shortest_call_s: time / 2, longest_call_s: 4 * time };
  const { page, complaints } = await open(browser, pageOf([save(folder, "levels.json", base)], "levels.html"));
  const line = page.locator(".over path.levels"), dots = page.locator(".over g > circle[r='3']");
  assert.equal(await line.count(), 1);
  assert.equal(await dots.count(), 2);
  const [, from, to] = /^M([0-9.]+),[0-9.]+H([0-9.]+)$/.exec(await line.getAttribute("d")).map(Number);
  const [l1, l2] = await Promise.all([0, 1].map(async (index) => Number(await dots.nth(index).getAttribute("cx"))));
  const [, longest, shortest] = /^M[0-9.]+,([0-9.]+)V([0-9.]+)$/.exec(await page.locator(".over path.calls").getAttribute("d")).map(Number);
  const height = Number(await dots.nth(0).getAttribute("cy"));
  assert.ok(Math.abs((longest - height) / (height - shortest) - 2) < 0.01, `calls from ${longest} to ${shortest}, the mean at ${height}`);
  assert.ok(Math.abs(from - l1) < 0.01 && Math.abs(l2 - (from + to) / 2) < 0.01, `${from} to ${to}, at ${l1} and ${l2}`);
  assert.deepEqual(complaints, []);
  await page.close();
}

/** Peaks, latencies and what was reached, of hosts' and of devices' memory; a file without a network has no such part. */
export async function messageRooflineOfANetwork({ browser, noisy }) {
  const calm = noisy.find((file) => file.includes("calm"));
  const file = save(folder, "network.json", network(load(calm)));
  const { page, complaints } = await open(browser, pageOf([file], "network.html"));
  const figure = page.locator("#messages figure");
  assert.equal(await figure.count(), 1);
  assert.match(await figure.locator("figcaption").textContent(), /2 ranks on 2 nodes/);
  const key = await figure.locator(".key li").allTextContents();
  assert.deepEqual(key, ["", ", device memory by NCCL"].flatMap((of, at) => [`between_nodes${of}: peak ${[10, 40][at]} GB/s`, `between_nodes${of}: latency ${[2, 5][at]} us`,
    `between_nodes${of}: 1 message a wait`]));
  const reached = await figure.locator("tbody tr", { hasText: "by NCCL: 1 message" }).allTextContents();
  assert.equal(reached.length, 3);
  assert.match(reached[2], /38\.18 GB/);  // 4 MiB in 5 µs + 4 MiB / (40 GB/s)
  assert.equal(await page.locator("nav button", { hasText: "Messages" }).count(), 1);
  assert.deepEqual(complaints, []);
  await page.close();
  const elsewhere = network(load(calm));
  elsewhere.run.hostname = "elsewhere";
  const both = await open(browser, pageOf([file, save(folder, "elsewhere.json", elsewhere)], "networks.html"));
  const captions = await both.page.locator("#messages figcaption").allTextContents();
  assert.equal(captions.length, 2);
  assert.notEqual(captions[0], captions[1], "two networks of as many ranks have captions of their own");
  assert.ok(captions.some((text) => text.includes("elsewhere:mpi")), captions.join("; "));
  await both.page.close();
  const other = await open(browser, pageOf([calm], "no-network.html"));
  assert.equal(await other.page.locator("#messages").count(), 0);
  await other.page.close();
}

export async function savedSvgHasTheFiguresOfTheCsv({ browser, measured }) {
  const file = measured.find((one) => one.includes("amd-zen-4-operators"));
  const { page, complaints } = await open(browser, pageOf([file], "svg.html"));
  await page.getByRole("button", { name: "All points", exact: true }).click();
  const saved = await download(page, "SVG");
  assert.equal(saved.name, "roofline.svg");
  const svg = saved.bytes.toString("utf8");
  const found = await page.evaluate((text) => {
    const xml = new DOMParser().parseFromString(text, "image/svg+xml");
    return { broken: Boolean(xml.querySelector("parsererror")), titles: [...xml.querySelectorAll("g.points path title")].map((title) => title.textContent), styles: xml.querySelectorAll("style, script, [style]").length };
  }, svg);
  assert.equal(found.broken, false);
  assert.equal(found.styles, 0, "colours are attributes: every program draws them");
  const expected = table([file], "points").filter((row) => row.status === "ok" && Number(row.intensity) > 0);
  assert.equal(found.titles.length, expected.length);
  const places = new Set(found.titles.map((title) => /: (\S+) flop\/s at (\S+) flop\/byte$/.exec(title).slice(1).map(Number).join()));
  for (const row of expected) assert.ok(places.has([Number(row.flop_per_s), Number(row.intensity)].join()), `${row.id} is not in the SVG`);
  assert.deepEqual(complaints, []);
  await page.close();
  return `${expected.length} points`;
}

/** Markers stand where their figures say, by the ticks of the axes. */
export async function markersStandAtTheirFigures({ browser, measured }) {
  const file = measured.find((one) => one.includes("amd-zen-4-operators"));
  const { page } = await open(browser, pageOf([file], "places.html"));
  const svg = (await download(page, "SVG")).bytes.toString("utf8");
  const { points, ticks } = await page.evaluate((text) => {
    const xml = new DOMParser().parseFromString(text, "image/svg+xml");
    const at = (node) => /translate\(([-0-9.]+),([-0-9.]+)\)/.exec(node.getAttribute("transform")).slice(1).map(Number);
    return {
      points: [...xml.querySelectorAll("g.points path")].map((path) => ({ at: at(path), title: path.textContent })),
      ticks: [...xml.querySelectorAll("g.x .tick")].map((tick) => ({ at: at(tick)[0], text: tick.textContent })).filter(({ text }) => text),
    };
  }, svg);
  const [first, last] = [ticks[0], ticks[ticks.length - 1]];
  const scale = (last.at - first.at) / Math.log(Number(last.text) / Number(first.text));
  assert.ok(points.length > 20);
  for (const { at, title } of points) {
    const intensity = Number(/at (\S+) flop\/byte$/.exec(title)[1]);
    const expected = first.at + scale * Math.log(intensity / Number(first.text));
    assert.ok(Math.abs(expected - at[0]) < 0.1, `${title} stands at ${at[0]}, not at ${expected}`);
  }
  await page.close();
  return `${points.length} markers`;
}

export async function savedPngIsAPicture({ browser, measured }) {
  const { page, complaints } = await open(browser, pageOf([measured[0]], "png.html"));
  const saved = await download(page, "PNG");
  assert.equal(saved.name, "roofline.png");
  assert.equal(saved.bytes.subarray(1, 4).toString(), "PNG");
  assert.ok(saved.bytes.readUInt32BE(16) > 1500, "twice as wide as on the screen");
  assert.ok(saved.bytes.length > 20000, "something is drawn on it");
  assert.deepEqual(complaints, []);
  await page.close();
}

/** The sentence is that of `gable explain`, by way of the plot data; the box at the pointer has the first numbers, the panel all. */
export async function numbersOfAPoint({ browser, measured }) {
  const file = measured.find((one) => one.includes("amd-zen-4-operators"));
  const { page, complaints } = await open(browser, pageOf([file], "hover.html"));
  const svg = (await download(page, "SVG")).bytes.toString("utf8");
  const stage = await page.locator(".stage").boundingBox();
  const rows = table([file], "points");
  const row = rows.filter((one) => one.status === "ok" && one.operator === "softmax" && Number(one.intensity) > 0)[0];
  const found = new RegExp(`translate\\(([-0-9.]+),([-0-9.]+)\\)"[^>]*><title>[^<]*: ${row.flop_per_s} flop/s`).exec(svg);
  const margin = /<g class="points" transform="translate\(([0-9.]+),([0-9.]+)\)/.exec(svg).slice(1).map(Number);
  assert.ok(found, "the point is in the frame");
  await page.locator(".stage").scrollIntoViewIfNeeded();
  await page.mouse.move(stage.x + margin[0] + Number(found[1]), stage.y + margin[1] + Number(found[2]));
  const tip = page.locator(".tip");
  await tip.waitFor({ state: "visible" });
  const panel = page.locator(".panel");
  for (const [box, least] of [[tip, 6], [panel, 14]]) {
    if (box === panel) await page.mouse.down().then(() => page.mouse.up());
    const facts = await box.evaluate((one) => Object.fromEntries([...one.querySelectorAll("dt")].map((term) => [term.textContent, term.nextElementSibling.textContent])));
    close(facts.time, row.time_s, "time");
    close(facts.performance, row.flop_per_s, "performance");
    if (box === panel) close(facts.bytes, row.bytes, "bytes");
    close(facts["of its limit"], row.fraction_of_limit, "of its limit", 6e-3);
    assert.equal(facts.limit, row.limit);
    assert.match(await box.locator(".diagnosis").textContent(), /^It is .*(the roof|every roof)/);
    assert.ok(Object.keys(facts).length >= least, Object.keys(facts).join());
  }
  await page.mouse.move(stage.x + 2, stage.y + 2);
  await tip.waitFor({ state: "hidden" });
  assert.deepEqual(complaints, []);
  await page.close();
}

/** Speedups and prices are quotients of the times in the CSV. */
export async function ratiosAreQuotients({ browser, noisy }) {
  const files = noisy.filter((file) => /calm|halved/.test(file));
  const { page } = await open(browser, pageOf(files, "ratios.html"));
  const points = table(files, "points"), [a, b] = [...new Set(points.map((row) => row.device))];
  const shown = await rowsOf(page, "speedups");
  assert.ok(shown.length > 5);
  const logs = {};
  for (const row of shown) {
    const of = (device) => Number(points.find((one) => one.device === device && one.operator === row.Operator && row.Implementation.startsWith(one.implementation) && one.dtype === row.Type && one.params === row.Sizes).time_s);
    const ratio = of(a) / of(b);
    assert.ok(Math.abs(number(row["B, times as fast"]) / ratio - 1) < 0.006, `${row.Operator}: ${row["B, times as fast"]} beside ${ratio}`);
    (logs[row.Operator] ??= []).push(Math.log(ratio));
  }
  const average = (list) => list.reduce((sum, one) => sum + one, 0) / list.length;
  const mean = Math.exp(average(Object.values(logs).map(average)));
  const said = /B ([0-9.]+×)/.exec(await page.locator("#speedups p").nth(1).textContent())[1];
  assert.ok(Math.abs(number(said) / mean - 1) < 0.006, `${said} beside ${mean}`);
  for (const row of await rowsOf(page, "portability"))
    assert.ok(Math.abs(number(row["Portable / library"]) / (number(row.Time) / number(row["Its time"])) - 1) < 0.006);
  await page.close();
  return `${shown.length} rows`;
}

/** Each cell of the matrix is the inverse of its mirror image; a device beside one of its own runs is the quotient of the times. */
export async function theMatrixIsItsOwnInverse({ browser, noisy }) {
  const files = noisy.filter((file) => /quick/.test(file)).slice(0, 3);
  const { page, complaints } = await open(browser, pageOf(files, "matrix.html"));
  const cells = await page.locator("#speedups .matrix tbody tr").evaluateAll((rows) => rows.map((row) => [...row.cells].slice(1).map((cell) => cell.textContent)));
  assert.equal(cells.length, 3);
  for (let a = 0; a < 3; a += 1) {
    assert.equal(cells[a][a], "–");
    for (let b = 0; b < a; b += 1) assert.ok(Math.abs(number(cells[a][b]) * number(cells[b][a]) - 1) < 0.01, `${cells[a][b]} and ${cells[b][a]}`);
  }
  const said = /B ([0-9.]+×)/.exec(await page.locator("#speedups p").nth(1).textContent())[1];
  assert.equal(cells[0][1], said, "the first row is that of the first baseline");
  assert.deepEqual(complaints, []);
  await page.close();
}
