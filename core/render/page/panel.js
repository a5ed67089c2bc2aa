// Beside the chart, or from below on a narrow screen: what is known of the points that were picked, and what changes make of them.
import { card } from "./details.js";
import { button, element } from "./dom.js";
import { whatIf } from "./whatif.js";

const most = { cards: 8 };

export function makePanel(data, state, onopen) {
  const hint = () => element("p", { class: "hint" }, "Click a point for its numbers.");
  const cards = element("div", { class: "cards" }, hint()), sliders = whatIf(data, state);
  const tabs = { cards: button("Numbers", () => open("cards")), sliders: button("What if?", () => open("sliders")) };
  const parts = { cards, sliders: sliders?.element };
  const root = element("aside", { class: "panel", hidden: true, "aria-label": "Of the points picked" },
    element("p", { class: "panel-head" }, tabs.cards, sliders ? tabs.sliders : "", button("Close", close, { class: "close" })), cards, parts.sliders);
  let tab = "cards", before = "";

  function open(which) {
    tab = which;
    for (const name of Object.keys(tabs)) {
      if (parts[name]) parts[name].hidden = name !== tab;
      tabs[name].setAttribute("aria-pressed", String(name === tab));
    }
    const wasOpen = !root.hidden;
    root.hidden = false;
    document.documentElement.dataset.panel = tab;
    if (!wasOpen) onopen();
    if (tab === "sliders") sliders.tell();
  }
  function close() {
    root.hidden = true;
    delete document.documentElement.dataset.panel;
    if (state.ghost) state.change({ ghost: null }, "frame");
  }
  document.addEventListener("keydown", (event) => { if (event.key === "Escape" && !root.hidden) close(); });
  return {
    element: root,
    open,
    isOpen: () => !root.hidden,
    canMove: Boolean(sliders),
    /** Follows the selection: what is new in it is shown, and moved by the sliders. */
    update() {
      const now = [...state.selected].join();
      if (now === before) return;
      before = now;
      const chosen = [...state.selected].map((key) => data.byKey.get(key)).filter(Boolean).reverse();
      cards.replaceChildren(...chosen.slice(0, most.cards).map((point) => card(point)),
        ...(chosen.length > most.cards ? [element("p", {}, `${chosen.length - most.cards} more are selected.`)] : []),
        ...(chosen.length === 0 ? [hint()] : []));
      if (chosen.length === 0) return tab === "cards" ? close() : undefined;
      sliders?.choose(chosen[0]);
      open(root.hidden ? "cards" : tab);
    },
  };
}
