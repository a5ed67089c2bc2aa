// Puts the page together: what is read, chosen, drawn and listed.
import { ceilingTable } from "./ceilings.js";
import { makeChart } from "./chart.js";
import { makeControls } from "./controls.js";
import { curvePanel } from "./curves.js";
import { beforeAndAfter, read } from "./data.js";
import { card, spoken } from "./details.js";
import { element, select } from "./dom.js";
import { campaignPage } from "./heatmap.js";
import { markerPath, regimes, regimeText } from "./markers.js";
import { messagePanel } from "./messages.js";
import { operatorTable } from "./operators.js";
import { portabilityPanel } from "./portability.js";
import { provenancePanel, warningPanel } from "./provenance.js";
import { savePng, saveSvg } from "./save.js";
import { speedupMatrix, speedupPanel } from "./speedups.js";
import { lessonPanel } from "./lesson.js";
import { makeState } from "./state.js";
import { isDark, setPrinting } from "./theme.js";
import { plain } from "./units.js";

const most = { cards: 8 };

function defaultsOf(data) {
  const at = data.operatingPoints.filter((one) => one === "burst" || one === "datasheet");
  return {
    devices: data.devices.map((device) => device.key), types: data.types, levels: data.levels, selected: [],
    at: at.length > 0 ? at : data.operatingPoints,
    view: "performance", roof: "", arrows: beforeAndAfter(data), baseline: (data.devices.find((device) => !device.datasheet) ?? { key: "A" }).key,
    theme: "auto", isolated: false, lines: true, bands: true, labels: data.drawn.length <= 40, stores: false,
  };
}

/** What a fragment may name. */
function allowedOf(data) {
  const keys = data.devices.map((device) => device.key);
  return {
    devices: new Set(keys), types: new Set(data.types), levels: new Set(data.levels), selected: new Set(data.byKey.keys()),
    at: new Set(data.operatingPoints), view: new Set(["performance", "time"]), roof: new Set(["", ...data.roofs.map((roof) => roof.key)]),
    arrows: new Set(["", ...keys.flatMap((a) => keys.map((b) => `${a}-${b}`))]), baseline: new Set(keys), theme: new Set(["auto", "light", "dark"]),
  };
}

function legend(data) {
  const used = regimes.filter((regime) => data.drawn.some((point) => (point.regime ?? "") === regime));
  const shape = (regime) => {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    for (const [key, value] of Object.entries({ width: 16, height: 16, viewBox: "-8 -8 16 16", "aria-hidden": "true" })) svg.setAttribute(key, value);
    const path = svg.appendChild(document.createElementNS("http://www.w3.org/2000/svg", "path"));
    path.setAttribute("d", markerPath(regime));
    path.setAttribute("fill", "currentColor");
    return svg;
  };
  const line = (dash, text) => {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    for (const [key, value] of Object.entries({ width: 30, height: 12, viewBox: "0 0 30 12", "aria-hidden": "true" })) svg.setAttribute(key, value);
    const path = svg.appendChild(document.createElementNS("http://www.w3.org/2000/svg", "path"));
    for (const [key, value] of Object.entries({ d: "M0,6H30", stroke: "currentColor", "stroke-width": 2, "stroke-dasharray": dash })) path.setAttribute(key, value);
    return element("li", {}, svg, text);
  };
  const dashes = { burst: "none", sustained: "7 4", library: "2 3", datasheet: "9 3 2 3" };
  return element("ul", { class: "legend", "aria-label": "Legend" }, used.map((regime) => element("li", {}, shape(regime), regimeText(regime))),
    data.operatingPoints.map((at) => line(dashes[at], at)));
}

function start() {
  const told = JSON.parse(document.getElementById("plot-data").textContent);
  if (told.campaign) return campaignPage(told);
  const data = read(told);
  const state = makeState(defaultsOf(data));
  const allowed = allowedOf(data);
  state.take(location.hash.slice(1), allowed);

  const tip = element("div", { class: "tip", hidden: true });
  const voice = element("p", { class: "unseen", "aria-live": "polite" });
  const message = element("p", { class: "message", role: "status" });
  const cards = element("div", { class: "cards" });
  const say = (text) => { message.textContent = text; };

  const title = plain(data.title ?? ([...new Set([...data.devices, ...(data.messages ?? [])].map((one) => one.name))].join(", ") || "Nothing was measured"), 160);
  const actions = {
    hover(one, at, speak) {
      if (state.hovered === one) { if (one && at) moveTip(at); return; }
      state.hovered = one;
      chart.hover();
      tip.hidden = !one;
      if (!one) return;
      tip.replaceChildren(card(one, "strong"));
      moveTip(at ?? (one.rate === undefined ? chart.place(one) : [80, 24]));
      if (speak) voice.textContent = spoken(one);
    },
    pick(point, add) {
      if (!add) {
        const alone = state.selected.size === 1 && state.selected.has(point.key);
        state.change({ selected: new Set(alone ? [] : [point.key]), isolated: state.isolated && !alone });
      } else {
        state.toggle("selected", point.key);
      }
    },
    async save(kind) {
      const svg = chart.svg(title);
      try {
        if (kind === "svg") saveSvg(svg);
        else await savePng(svg);
        say(`Saved as roofline.${kind}.`);
      } catch (error) {
        say(`It could not be saved: ${error.message}.`);
      }
    },
    async link() {
      keep();
      try {
        await navigator.clipboard.writeText(location.href);
        say("The address is copied: it shows what is shown now.");
      } catch {
        say("Copy the address of this page: it shows what is shown now.");
      }
    },
  };
  const chart = makeChart(data, state, actions);
  const controls = makeControls(data, state, chart, actions);
  const panels = {};  // what stands below, made when the chart can be used already

  function moveTip([px, py]) {
    const wide = stage.clientWidth, width = Math.min(500, wide - 16);
    tip.style.width = `${width}px`;
    const left = px + 18 + width < wide ? px + 18 : Math.max(8, px - 18 - width);
    tip.style.left = `${left}px`;
    const below = py + 16 + tip.offsetHeight < stage.clientHeight + 120;
    tip.style.top = `${below ? py + 16 : Math.max(0, py - 16 - tip.offsetHeight)}px`;
  }
  const stage = element("div", { class: "stage-and-tip" }, chart.element, tip);
  const section = (id, heading, ...children) => element("section", { id, "aria-labelledby": `${id}-heading` }, element("h2", { id: `${id}-heading`, tabindex: "-1" }, heading), children);
  const sections = [...(data.messages ? [section("messages", "Messages between ranks")] : []),
    section("operators", "Operators"), section("ceilings", "Ceilings"), section("speedups", "Speedups"), section("curves", "Curves"),
    section("batches", "Overhead and batch"), section("ladders", "Latencies and overheads"), section("portability", "Price of portability"),
    section("lesson", "Exercises"),
    section("warnings", "Warnings"), section("provenance", "Where this comes from")];
  const fill = (id, ...children) => sections.find((one) => one.id === id).append(...children);
  const later = [
    () => {
      panels.messages = messagePanel(data, state);
      if (!panels.messages) return;
      fill("messages", panels.messages.element);
      panels.messages.update();
    },
    () => { panels.operators = operatorTable(data, state, actions); fill("operators", panels.operators.element); panels.operators.update(); },
    () => { panels.ceilings = ceilingTable(data, state, actions); fill("ceilings", panels.ceilings.element); panels.ceilings.update(); },
    () => { panels.speedups = speedupPanel(data, state); fill("speedups", panels.speedups.element); panels.speedups.update(); },
    () => fill("speedups", speedupMatrix(data)),
    () => {
      panels.curves = curvePanel(data, state);
      for (const [id, part] of [["curves", "curves"], ["batches", "batches"], ["ladders", "ladders"]]) fill(id, panels.curves[part]);
      panels.curves.update();
    },
    () => fill("portability", portabilityPanel(data)), () => fill("lesson", lessonPanel(data, state)), () => fill("warnings", warningPanel(data)), () => fill("provenance", provenancePanel(data)),
    () => { document.documentElement.dataset.complete = Math.round(performance.now()).toString(); },
  ];
  const fillNext = () => {
    later.shift()?.();
    if (later.length > 0) setTimeout(fillNext);
  };
  const go = (one) => () => { one.scrollIntoView(); one.querySelector("h2").focus({ preventScroll: true }); };
  const theme = select("Colours", [["auto", "as the system"], ["light", "light"], ["dark", "dark"]], (value) => state.change({ theme: value }));
  document.getElementById("page").append(
    element("header", {}, element("h1", {}, title), element("p", { class: "subtitle" }, plain(data.subtitle, 200)), theme.label),
    element("nav", { "aria-label": "Sections" }, sections.map((one) => element("button", { type: "button", onclick: go(one) }, one.querySelector("h2").textContent))),
    element("main", {},
      element("section", { id: "roofline", "aria-label": "Roofline" },
        element("div", { class: "beside" }, element("div", { class: "picture" },
          data.roofs.length + data.drawn.length === 0 ? element("p", { class: "nothing" }, "There is nothing to draw: no roof was measured, and no operator with flops."
            + (data.messages ? " What messages between the ranks of a network can do stands below." : "")) : "",
          stage, legend(data),
          element("p", { class: "hint" }, "Hover or use the arrow keys for every number; click selects, with Shift more than one; click a roof for the points that it limits. Drag moves the frame; Ctrl and the wheel, or two fingers, zoom."),
          message, voice, cards), controls.element)),
      sections),
    element("footer", {}, `gable ${plain(data.gable_version)}, plot data ${plain(data.schema_version)}`));

  function showCards() {
    const chosen = [...state.selected].map((key) => data.byKey.get(key)).filter(Boolean);
    cards.replaceChildren(...chosen.slice(0, most.cards).map((point) => card(point)),
      ...(chosen.length > most.cards ? [element("p", {}, `${chosen.length - most.cards} more are selected.`)] : []));
  }
  let keeping = 0;
  function keep() {
    clearTimeout(keeping);
    const fragment = state.fragment();
    if (location.hash.slice(1) !== fragment) history.replaceState(null, "", `${location.pathname}${location.search}${fragment ? `#${fragment}` : ""}`);
  }
  function dress() {
    document.documentElement.dataset.theme = isDark(state.theme) ? "dark" : "light";
    theme.field.value = state.theme;
  }
  let before = {};
  function update(what) {
    clearTimeout(keeping);
    keeping = setTimeout(keep, 150);
    tip.hidden = true;
    if (what === "frame") return chart.queue();
    dress();
    controls.update();
    chart.queue();
    showCards();
    const filter = [...state.devices].join() + [...state.types].join();
    if (filter !== before.filter) {
      panels.ceilings?.update();
      panels.operators?.update();
    }
    panels.ceilings?.mark();
    panels.operators?.mark();
    panels.speedups?.update();
    panels.messages?.update();
    panels.curves?.update();
    before = { filter };
  }
  state.listen(update);
  window.addEventListener("hashchange", () => { state.take(location.hash.slice(1), allowed); state.change({}); });
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { if (state.theme === "auto") { panels.messages?.update(true); panels.curves?.update(true); update(); } });
  /** Everything that has colours of its own is drawn anew: for paper, and for the screen again. */
  const redraw = (printing) => {
    setPrinting(printing);
    dress();
    controls.update();
    panels.messages?.update(true);
    panels.curves?.update(true);
    chart.render();
  };
  window.addEventListener("beforeprint", () => { while (later.length > 0) later.shift()(); redraw(true); });
  window.addEventListener("afterprint", () => redraw(false));
  dress();
  chart.render();
  update();
  // for tests: when the page could be used
  setTimeout(fillNext);
  document.documentElement.dataset.ready = Math.round(performance.now()).toString();
}

start();
