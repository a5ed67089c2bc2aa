// A campaign: nodes by rows, coloured by how much worse a figure is than the fleet's median, and the tables of the report.
import { checkbox, element, search, select } from "./dom.js";
import { makeTable } from "./table.js";
import { isDark, setPrinting, themeOf } from "./theme.js";
import { percent, plain, quantity } from "./units.js";

const cell = 18, gap = 6, leastLines = 12, font = "11px system-ui, sans-serif";
// As in the static picture: the loss at which a colour is full, and Okabe and Ito's blue and vermillion.
const fullLoss = 0.15, faster = [0, 114, 178], slower = [213, 94, 0];

const channels = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));

/** Between the ground and the colour of a loss; nothing without a figure. */
function colourOf(theme, loss) {
  if (loss === null) return theme.dark ? "#4a4f56" : "#d0d0d0";
  const part = Math.min(1, Math.abs(loss) / fullLoss), full = loss > 0 ? slower : faster;
  return `rgb(${channels(theme.ground).map((from, at) => Math.round(from + (full[at] - from) * part)).join(",")})`;
}

const beside = (loss) => (loss === 0 ? "the median" : `${percent(Math.abs(loss))} ${loss > 0 ? "slower" : "faster"}`);
const has = (text, words) => words.toLowerCase().split(/\s+/).every((word) => text.toLowerCase().includes(word));
const byName = (a, b) => a.said.localeCompare(b.said, "en", { numeric: true });

/** What the map shows, in the order that was chosen. Nodes and rows come with the largest losses first. */
function arrange({ nodes, rows }, state) {
  const shown = {
    nodes: nodes.filter((node) => has(`${node.said} ${node.verdict}`, state.nodeWords) && (!state.found || node.found)),
    rows: rows.filter((row) => has(row.said, state.rowWords) && (!state.found || row.found)),
  };
  if (state.nodeOrder === "name") shown.nodes.sort(byName);
  const row = state.nodeOrder.startsWith("row ") ? rows[Number(state.nodeOrder.slice(4))] : null;
  if (row) shown.nodes.sort((a, b) => (row.losses[b.index] ?? -Infinity) - (row.losses[a.index] ?? -Infinity));
  if (state.rowOrder === "name") shown.rows.sort(byName);
  return shown;
}

function legend(theme) {
  const swatch = (loss) => {
    const made = element("span", { class: "heat-swatch" });
    made.style.background = colourOf(theme, loss);
    return made;
  };
  return [-fullLoss, -fullLoss / 2, 0, fullLoss / 2, fullLoss].map((loss) => element("li", {}, swatch(loss), beside(loss)))
    .concat(element("li", {}, swatch(null), "no figure"));
}

/** The map with its controls. */
function heatMap(campaign, state, voice) {
  const rows = campaign.rows.map((row, index) => ({ ...row, index, said: plain(`${row.slot} ${row.name}`, 90) }));
  const nodes = campaign.nodes.map((node, index) => ({ ...node, index, said: plain(node.name, 60) }));
  const found = new Map(campaign.findings.map((one) => [one.row * nodes.length + one.node, one]));
  const findingAt = (node, row) => found.get(row.index * nodes.length + node.index);
  for (const one of campaign.findings) nodes[one.node].found = rows[one.row].found = true;
  const canvas = element("canvas", { "aria-hidden": "true" }), ruler = canvas.getContext("2d");
  ruler.font = font;
  const widest = (list) => Math.ceil(gap + list.reduce((most, one) => Math.max(most, ruler.measureText(one.said).width), 0));
  const left = widest(nodes), top = widest(rows);  // names are whole
  const space = element("div", { class: "heat-space" }, canvas);
  const view = element("div", { class: "gable-heat-map", tabindex: "0", role: "application", "aria-label": "Nodes by rows: the arrow keys tell each figure" }, space);
  const tip = element("div", { class: "tip", hidden: true });
  const list = element("ul", { class: "legend", "aria-label": "Legend" });
  const count = element("p", { class: "count", role: "status" });
  let shown = arrange({ nodes, rows }, state), at = null;
  view.style.maxHeight = `max(75vh, ${top + leastLines * cell}px)`;

  function draw() {
    const theme = themeOf(state.theme), ratio = window.devicePixelRatio || 1;
    const wide = left + cell * shown.rows.length + gap, high = top + cell * shown.nodes.length + gap;
    space.style.width = `${wide}px`;
    space.style.height = `${high}px`;
    const width = Math.min(view.clientWidth, wide), height = Math.min(view.clientHeight, high);
    canvas.width = Math.max(1, Math.round(width * ratio));
    canvas.height = Math.max(1, Math.round(height * ratio));
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    const ink = canvas.getContext("2d");
    ink.scale(ratio, ratio);
    ink.fillStyle = theme.ground;
    ink.fillRect(0, 0, width, height);
    ink.font = font;
    ink.textBaseline = "middle";
    const { scrollLeft, scrollTop } = view;
    const range = (from, size, length) => [Math.max(0, Math.floor(from / cell)), Math.min(length, Math.ceil((from + size) / cell))];
    const [firstLine, lastLine] = range(scrollTop, height - top, shown.nodes.length);
    const [firstColumn, lastColumn] = range(scrollLeft, width - left, shown.rows.length);
    const x = (column) => left + column * cell - scrollLeft, y = (line) => top + line * cell - scrollTop;
    const within = (px, py, w, h, paint) => {
      ink.save();
      ink.beginPath();
      ink.rect(px, py, w, h);
      ink.clip();
      paint();
      ink.restore();
    };
    const cells = (paint) => {
      for (let line = firstLine; line < lastLine; line += 1) {
        for (let column = firstColumn; column < lastColumn; column += 1) paint(line, column, shown.nodes[line], shown.rows[column]);
      }
    };
    within(left, top, width - left, height - top, () => {
      ink.fillStyle = theme.grid;
      ink.fillRect(x(firstColumn), y(firstLine), (lastColumn - firstColumn) * cell, (lastLine - firstLine) * cell);
      cells((line, column, node, row) => {
        ink.fillStyle = colourOf(theme, row.losses[node.index]);
        ink.fillRect(x(column), y(line), cell - 1, cell - 1);
      });
      ink.strokeStyle = theme.ink;
      cells((line, column, node, row) => {
        if (findingAt(node, row)) ink.strokeRect(x(column) + 0.5, y(line) + 0.5, cell - 2, cell - 2);
      });
      ink.lineWidth = 3;
      if (at) ink.strokeRect(x(at.column), y(at.line), cell - 1, cell - 1);
    });
    ink.fillStyle = theme.ink;
    within(0, top, left, height - top, () => {
      ink.textAlign = "right";
      for (let line = firstLine; line < lastLine; line += 1) ink.fillText(shown.nodes[line].said, left - gap / 2, y(line) + cell / 2);
    });
    within(left, 0, width - left, top, () => {
      ink.textAlign = "left";
      for (let column = firstColumn; column < lastColumn; column += 1) {
        ink.save();
        ink.translate(x(column) + cell / 2, top - gap / 2);
        ink.rotate(-Math.PI / 2);
        ink.fillText(shown.rows[column].said, 0, 0);
        ink.restore();
      }
    });
  }

  function factsOf(node, row) {
    const value = row.values[node.index], loss = row.losses[node.index], finding = findingAt(node, row);
    return [
      ["row", row.said], ["device", plain(row.device, 90)],
      ["figure", value === null ? "none that is good" : quantity(value, row.unit)], ["median", quantity(row.median, row.unit)],
      ["it is", loss === null ? "" : beside(loss)], ["found", finding ? `${finding.verdict}, beside the ${finding.basis}` : ""],
      ["cause", plain(finding?.cause, 300)], ["node", `${node.verdict}${node.reason ? `: ${plain(node.reason, 300)}` : ""}`],
    ].filter(([, text]) => text);
  }
  function point(next, speak) {
    at = next;
    tip.hidden = !at;
    draw();
    if (!at) return;
    const node = shown.nodes[at.line], row = shown.rows[at.column], facts = factsOf(node, row);
    tip.replaceChildren(element("strong", {}, node.said), element("dl", {}, facts.map(([name, text]) => [element("dt", { class: "long" }, name), element("dd", { class: "long" }, text)])));
    const width = Math.min(420, root.clientWidth - 16), px = left + at.column * cell - view.scrollLeft + cell, py = top + at.line * cell - view.scrollTop + cell;
    tip.style.width = `${width}px`;
    tip.style.left = `${Math.max(0, Math.min(px, root.clientWidth - width - 8))}px`;
    tip.style.top = `${py}px`;
    if (speak) voice.textContent = `${node.said}: ${facts.map(([name, text]) => `${name} ${text}`).join(", ")}`;
  }
  function cellAt(event) {
    const box = view.getBoundingClientRect(), px = event.clientX - box.left - view.clientLeft, py = event.clientY - box.top - view.clientTop;
    const column = Math.floor((px - left + view.scrollLeft) / cell), line = Math.floor((py - top + view.scrollTop) / cell);
    return px >= left && py >= top && column < shown.rows.length && line < shown.nodes.length ? { line, column } : null;
  }
  function step(lines, columns) {
    const bound = (value, length) => Math.max(0, Math.min(length - 1, value));
    const next = at ? { line: bound(at.line + lines, shown.nodes.length), column: bound(at.column + columns, shown.rows.length) } : { line: 0, column: 0 };
    if (shown.nodes.length === 0 || shown.rows.length === 0) return;
    const reach = (from, size, place) => Math.max(Math.min(from, place * cell), (place + 1) * cell - size);
    view.scrollTop = reach(view.scrollTop, view.clientHeight - top, next.line);
    view.scrollLeft = reach(view.scrollLeft, view.clientWidth - left, next.column);
    point(next, true);
  }
  view.addEventListener("scroll", () => { if (at && !view.matches(":focus")) point(null); else draw(); });
  view.addEventListener("pointermove", (event) => {
    const next = cellAt(event);
    if (next?.line !== at?.line || next?.column !== at?.column) point(next);
  });
  view.addEventListener("pointerleave", () => point(null));
  view.addEventListener("blur", () => point(null));
  view.addEventListener("keydown", (event) => {
    const moves = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1], PageDown: [20, 0], PageUp: [-20, 0] };
    if (event.key === "Escape") point(null);
    else if (moves[event.key]) step(...moves[event.key]);
    else return;
    event.preventDefault();
  });

  function update() {
    shown = arrange({ nodes, rows }, state);
    at = null;
    tip.hidden = true;
    list.replaceChildren(...legend(themeOf(state.theme)));
    count.textContent = `${shown.nodes.length} of ${nodes.length} nodes, ${shown.rows.length} of ${rows.length} rows`;
    // for tests: what stands where
    Object.assign(view.dataset, { nodes: shown.nodes.length, rows: shown.rows.length, first: shown.nodes[0]?.said ?? "", row: shown.rows[0]?.said ?? "", left, top });
    draw();
  }
  const words = (text, key) => search(text, (value) => { state[key] = value; update(); }).label;
  const choose = (text, key, options) => select(text, options, (value) => { state[key] = value; update(); }).label;
  const controls = element("div", { class: "tools" },
    choose("Order nodes by", "nodeOrder", [["loss", "their largest loss"], ["name", "name"], ...rows.map((row) => [`row ${row.index}`, `the loss of ${row.said}`])]), words("Filter nodes", "nodeWords"),
    choose("Order rows by", "rowOrder", [["loss", "their largest loss"], ["name", "name"]]), words("Filter rows", "rowWords"),
    checkbox("only what the report found", (on) => { state.found = on; update(); }).label);
  const root = element("div", { class: "stage-and-tip" }, view, tip);
  return { element: element("div", {}, controls, root, list, count), update, draw };
}

/** The blocks of the report (document_json() in core/questions/campaign). */
function reportOf(blocks) {
  let heading = "Summary";
  return blocks.map((block) => {
    if (block.heading !== undefined) {
      heading = plain(block.heading);
      return element("h2", {}, heading);
    }
    if (block.items) return element("ul", {}, block.items.map((item) => element("li", {}, plain(item, 500))));
    if (!block.columns) return element("p", {}, plain(block.text, 1000));
    return makeTable({ caption: plain(block.caption || heading), rows: block.rows, columns: block.columns.map((column, index) => ({ title: plain(column.title, 60), right: column.right, text: (row) => plain(row[index], 300) })) }).element;
  });
}

export function campaignPage(data) {
  const state = { theme: "auto", nodeOrder: "loss", rowOrder: "loss", nodeWords: "", rowWords: "", found: false };
  const voice = element("p", { class: "unseen", "aria-live": "polite" });
  const map = heatMap(data.campaign, state, voice);
  const dress = () => { document.documentElement.dataset.theme = isDark(state.theme) ? "dark" : "light"; };
  const theme = select("Colours", [["auto", "as the system"], ["light", "light"], ["dark", "dark"]], (value) => { state.theme = value; dress(); map.update(); });
  document.getElementById("page").append(
    element("header", {}, element("h1", {}, plain(data.title, 160)), theme.label),
    element("p", { class: "lead" }, plain(data.campaign.conclusion, 900)),
    element("main", {},
      element("section", { id: "nodes", "aria-labelledby": "nodes-heading" }, element("h2", { id: "nodes-heading" }, "Nodes by rows"),
        element("p", { class: "hint" }, "Hover or use the arrow keys for every figure."), map.element, voice,
        data.campaign.notes.map((note) => element("p", { class: "hint" }, plain(note, 300)))),
      element("section", { id: "report", "aria-label": "Report" }, reportOf(data.campaign.report))),
    element("footer", {}, `gable ${plain(data.gable_version)}`));
  dress();
  map.update();
  window.addEventListener("resize", map.draw);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { dress(); map.update(); });
  const redraw = (printing) => { setPrinting(printing); dress(); map.update(); };
  window.addEventListener("beforeprint", () => redraw(true));
  window.addEventListener("afterprint", () => redraw(false));
  // for tests: when the page could be used
  document.documentElement.dataset.ready = document.documentElement.dataset.complete = Math.round(performance.now()).toString();
}
