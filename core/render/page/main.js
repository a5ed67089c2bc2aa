// Puts the page together: what is read, chosen, drawn and listed.
import { ceilingTable } from "./ceilings.js";
import { makeChart } from "./chart.js";
import { makeControls } from "./controls.js";
import { curvePanel } from "./curves.js";
import { beforeAndAfter, read, usedTypes } from "./data.js";
import { brief, spoken } from "./details.js";
import { element } from "./dom.js";
import { campaignPage } from "./heatmap.js";
import { markerPath, regimes, regimeText } from "./markers.js";
import { messagePanel } from "./messages.js";
import { operatorTable } from "./operators.js";
import { makePanel } from "./panel.js";
import { portabilityPanel } from "./portability.js";
import { provenancePanel, warningPanel } from "./provenance.js";
import { savePng, saveSvg } from "./save.js";
import { speedupMatrix, speedupPanel } from "./speedups.js";
import { lessonPanel } from "./lesson.js";
import { makeState } from "./state.js";
import { colourOf, colourings, isDark, setPrinting, themeOf } from "./theme.js";
import { digits, plain, quantity } from "./units.js";

const most = { conclusions: 4 };

function defaultsOf(data) {
  const at = data.operatingPoints.filter((one) => one === "burst" || one === "datasheet");
  return {
    devices: data.devices.map((device) => device.key), types: usedTypes(data), levels: data.levels, selected: [],
    at: at.length > 0 ? at : data.operatingPoints,
    view: "performance", roof: "", arrows: beforeAndAfter(data), baseline: (data.devices.find((device) => !device.datasheet) ?? { key: "A" }).key,
    theme: "auto", isolated: false, words: "", origin: "", colour: data.hasOwn && data.devices.length === 1 ? "origin" : "device", units: false, lines: true, bands: true, labels: data.drawn.length <= 40, stores: false,
  };
}

/** What a fragment may name. */
function allowedOf(data) {
  const keys = data.devices.map((device) => device.key);
  return {
    devices: new Set(keys), types: new Set(data.types), levels: new Set(data.levels), selected: new Set(data.byKey.keys()),
    at: new Set(data.operatingPoints), view: new Set(["performance", "time"]), roof: new Set(["", ...data.roofs.map((roof) => roof.key)]),
    arrows: new Set(["", ...keys.flatMap((a) => keys.map((b) => `${a}-${b}`))]), baseline: new Set(keys), theme: new Set(["auto", "light", "dark"]),
    colour: new Set(Object.keys(colourings)), origin: new Set(["", "own", "gable"]),
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

const ridgeOf = (data, device) => data.ridges.filter((ridge) => ridge.device === device.id).sort((a, b) => b.flop_per_s - a.flop_per_s)[0];
const atMost = (ridge) => {
  const operation = /\bint\d/.test(ridge.label) ? "op" : "flop";
  return `at most ${quantity(ridge.flop_per_s, `${operation}/s`, 3)} (${ridge.label}); work of less than ${digits(ridge.intensity, 3)} ${operation === "op" ? "op" : "FLOP"}/byte is memory-bound there.`;
};

/** Of each device what limits most of the time and what helps most, as `gable explain` judges it; of no operators what it can do at most. */
function conclusions(data) {
  const measured = data.devices.filter((device) => device.conclusion);
  const told = measured.length > 0 ? measured : data.devices.filter((device) => ridgeOf(data, device)), first = window.innerWidth < 640 ? 1 : most.conclusions, swatches = [];
  const line = (device) => {
    const swatch = element("span", { class: "swatch", "aria-hidden": "true" });
    swatches.push([swatch, device]);
    return element("p", { class: "conclusion" }, data.devices.length > 1 ? swatch : "", element("b", {}, `${[`${device.short} ${plain(device.name, 60)}`.trim(), device.microarchitecture].filter(Boolean).join(", ")}: `), plain(device.conclusion ?? atMost(ridgeOf(data, device)), 600));
  };
  const rest = told.slice(first);
  return {
    element: element("div", { class: "conclusions" }, told.slice(0, first).map(line),
      rest.length > 0 ? element("details", {}, element("summary", {}, `${rest.length} more`), rest.map(line)) : ""),
    dress(theme) { for (const [swatch, device] of swatches) swatch.style.borderColor = swatch.style.background = colourOf(theme, device); },
  };
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
  const say = (text) => { message.textContent = text; };

  const title = plain(data.title ?? ([...new Set([...data.devices, ...(data.messages ?? [])].map((one) => one.name))].join(", ") || "Nothing was measured"), 160);
  const actions = {
    hover(one, at, speak) {
      if (state.hovered === one) { if (one && at) moveTip(at); return; }
      state.hovered = one;
      chart.hover();
      tip.hidden = !one;
      if (!one) return;
      tip.replaceChildren(...brief(one));
      moveTip(at ?? (one.rate === undefined ? chart.place(one) : [80, 24]));
      if (speak) voice.textContent = spoken(one);
    },
    pick(point, add) {
      if (!add) {
        const alone = state.selected.size === 1 && state.selected.has(point.key);
        if (alone && !panel.isOpen()) return panel.open("cards");
        state.change({ selected: new Set(alone ? [] : [point.key]), isolated: state.isolated && !alone });
      } else {
        state.toggle("selected", point.key);
      }
    },
    canMove: () => panel.canMove,
    move() { panel.open("sliders"); },
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
  const panel = makePanel(data, state, () => {
    const box = chart.element.getBoundingClientRect();
    if (window.innerWidth < 1000 && box.top < window.innerHeight && box.bottom > 0) chart.element.scrollIntoView();  // above the sheet
  });
  const controls = makeControls(data, state, chart, actions);
  const panels = {};  // what stands below, made when the chart can be used already

  /** Beside the point or in a corner, where it covers the fewest points and nothing near this one. */
  function moveTip([px, py]) {
    const wide = stage.clientWidth, tall = stage.clientHeight, width = Math.min(330, wide - 16), keep = 48;
    tip.style.width = `${width}px`;
    const height = tip.offsetHeight, right = wide - width - 4, bottom = Math.max(0, tall - height - 4);
    const within = (low, value, high) => Math.max(low, Math.min(high, value));
    const places = [[px + keep, within(0, py - height / 2, bottom)], [px - keep - width, within(0, py - height / 2, bottom)],
      [within(4, px - width / 2, right), py + keep], [within(4, px - width / 2, right), py - keep - height], [4, 0], [right, 0], [4, bottom], [right, bottom]];
    const near = ([left, top]) => left < px + keep && left + width > px - keep && top < py + keep && top + height > py - keep;
    const outside = ([left, top]) => left < 0 || left > right + 4 || top < 0 || top > bottom;
    const cost = (at) => 1e6 * near(at) + 1e4 * outside(at) + 200 * chart.covered({ left: at[0], top: at[1], width, height }) + Math.hypot(at[0] + width / 2 - px, at[1] + height / 2 - py);
    const [left, top] = places.map((at) => [cost(at), at]).sort(([a], [b]) => a - b)[0][1];
    tip.style.left = `${left}px`;
    tip.style.top = `${top}px`;
  }
  const stage = element("div", { class: "stage-and-tip" }, chart.element, tip);
  const section = (id, heading, ...children) => element("section", { id, hidden: true, "aria-labelledby": `${id}-heading` }, element("h2", { id: `${id}-heading`, tabindex: "-1" }, heading), children);
  const go = (one) => () => { one.scrollIntoView(); one.querySelector("h2").focus({ preventScroll: true }); };
  const sections = [...(data.messages ? [section("messages", "Messages between ranks")] : []),
    section("operators", "Operators"), section("ceilings", "Ceilings"), section("speedups", "Speedups"), section("curves", "Curves"),
    section("batches", "Overhead and batch"), section("ladders", "Latencies and overheads"), section("portability", "Price of portability"),
    section("lesson", "Exercises"),
    section("warnings", "Warnings"), section("provenance", "Where this comes from")];
  const buttons = new Map(sections.map((one) => [one.id, element("button", { type: "button", hidden: true, onclick: go(one) }, one.querySelector("h2").textContent)]));
  /** A section, and its button, are there where it has something. */
  const show = (id, has) => { document.getElementById(id).hidden = buttons.get(id).hidden = !has; };
  const showCurves = () => {
    panels.curves.update();
    for (const id of ["curves", "batches", "ladders"]) show(id, document.querySelector(`#${id} figure, #${id} table`));
  };
  const fill = (id, child, has = child?.querySelector?.("table, figure, ol, details")) => {
    document.getElementById(id).append(child);
    show(id, has);
  };
  const later = [
    () => {
      panels.messages = messagePanel(data, state);
      if (!panels.messages) return;
      fill("messages", panels.messages.element, true);
      panels.messages.update();
    },
    () => { panels.operators = operatorTable(data, state, actions); fill("operators", panels.operators.element, data.points.length > 0); panels.operators.update(); },
    () => { panels.ceilings = ceilingTable(data, state, actions); fill("ceilings", panels.ceilings.element, data.ceilings.length > 0); panels.ceilings.update(); },
    () => { panels.speedups = speedupPanel(data, state); panels.speedups.update(); fill("speedups", panels.speedups.element); },
    () => document.getElementById("speedups").append(speedupMatrix(data)),
    () => {
      panels.curves = curvePanel(data, state);
      for (const id of ["curves", "batches", "ladders"]) fill(id, panels.curves[id]);
      showCurves();
    },
    () => fill("portability", portabilityPanel(data)), () => fill("lesson", lessonPanel(data)), () => fill("warnings", warningPanel(data)), () => fill("provenance", provenancePanel(data)),
    () => { document.documentElement.dataset.complete = Math.round(performance.now()).toString(); },
  ];
  const fillNext = () => {
    later.shift()?.();
    if (later.length > 0) setTimeout(fillNext);
  };
  const head = conclusions(data);
  document.getElementById("page").append(
    element("header", {}, element("h1", {}, title), element("p", { class: "subtitle" }, plain(data.subtitle, 200))),
    head.element,
    element("nav", { "aria-label": "Sections" }, [...buttons.values()]),
    element("main", {},
      element("section", { id: "roofline", "aria-label": "Roofline" },
        element("div", { class: "beside" }, element("div", { class: "picture" },
          data.roofs.length + data.drawn.length === 0 ? element("p", { class: "nothing" }, "There is nothing to draw: no roof was measured, and no operator with flops."
            + (data.messages ? " What messages between the ranks of a network can do stands below." : "")) : "",
          stage, legend(data),
          element("p", { class: "hint" }, "Click or Enter for every number, with Shift of several; click a roof for the points that it limits. Drag moves the frame; Ctrl and the wheel, or two fingers, zoom."),
          message, voice), controls.element)),
      sections), panel.element,
    element("footer", {}, `gable ${plain(data.gable_version)}, plot data ${plain(data.schema_version)}`));

  let keeping = 0;
  function keep() {
    clearTimeout(keeping);
    const fragment = state.fragment();
    if (location.hash.slice(1) !== fragment) history.replaceState(null, "", `${location.pathname}${location.search}${fragment ? `#${fragment}` : ""}`);
  }
  function dress() {
    document.documentElement.dataset.theme = isDark(state.theme) ? "dark" : "light";
    head.dress(themeOf(state.theme));
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
    panel.update();
    const filter = [...state.devices, "", ...state.types, state.origin, state.words].join();
    if (filter !== before.filter) {
      panels.ceilings?.update();
      panels.operators?.update();
    }
    panels.ceilings?.mark();
    panels.operators?.mark();
    panels.speedups?.update();
    panels.messages?.update();
    if (panels.curves) showCurves();
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
