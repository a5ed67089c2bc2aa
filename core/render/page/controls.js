// The tools beside the chart.
import { button, checkbox, element, search, select } from "./dom.js";
import { colourings, colourOf, isHollow, themeOf } from "./theme.js";
import { plain, words } from "./units.js";

const swatch = () => element("span", { class: "swatch", "aria-hidden": "true" });

export function makeControls(data, state, chart, actions) {
  const syncs = [];
  const sync = (task) => syncs.push(task);
  const group = (title, ...children) => element("fieldset", {}, element("legend", {}, title), children);
  const boxes = (title, name, all, text, made) => (all.length === 0 ? "" : group(title, all.map((one) => {
    const { label, box } = checkbox(text(one), () => state.toggle(name, one), made?.(one));
    sync(() => { box.checked = state[name].has(one); });
    return label;
  })));
  const flag = (text, name) => {
    const { label, box } = checkbox(text, (on) => state.change({ [name]: on }));
    sync(() => { box.checked = state[name]; });
    return label;
  };
  const choice = (text, name, options, change = (value) => state.change({ [name]: value })) => {
    const made = select(text, options, change);
    sync(() => { made.field.value = state[name]; });
    return made.label;
  };
  const devices = new Map(data.devices.map((device) => [device.key, device]));
  const deviceBoxes = boxes("Devices", "devices", [...devices.keys()], (key) => devices.get(key).said, (key) => {
    const made = swatch();
    sync(() => {
      const theme = themeOf(state.theme), device = devices.get(key);
      made.style.borderColor = colourOf(theme, device);
      made.style.background = isHollow(device) ? theme.ground : colourOf(theme, device);
    });
    return made;
  });
  const measured = data.devices.filter((device) => !device.datasheet);
  const couples = measured.flatMap((one) => measured.filter((other) => other !== one).map((other) => [`${one.key}-${other.key}`, `${one.key} → ${other.key}`]));
  const isolate = button("Isolate", () => state.change({ isolated: !state.isolated }), { title: "Show the selected points alone" });
  const clear = button("Clear selection", () => state.change({ selected: new Set(), isolated: false, roof: "" }));
  sync(() => {
    isolate.disabled = state.selected.size === 0;
    isolate.setAttribute("aria-pressed", String(state.isolated));
    clear.disabled = state.selected.size === 0 && !state.roof;
  });
  const roofs = select("Roof", [["", "all"], ...data.roofs.map((roof) => [roof.key, plain(roof.label, 60)])], (key) => state.change({ roof: key }));
  sync(() => { roofs.field.value = state.roof; });
  const sought = search("Search", (words) => state.change({ words }));
  sync(() => { if (document.activeElement !== sought.field) sought.field.value = state.words; });
  const key = element("ul", { class: "legend", "aria-label": "Colours of points" });
  sync(() => key.replaceChildren(...colourings[state.colour].key(data).map(([text, colour]) => {
    const made = swatch();
    made.style.borderColor = made.style.background = colourOf(themeOf(state.theme), { colour });
    return element("li", {}, made, words(text));
  })));
  const colours = Object.entries(colourings).filter(([name]) => name !== "origin" || data.hasOwn).map(([name, { words: text }]) => [name, text]);
  const bar = element("div", { class: "tools", role: "group", "aria-label": "What the chart shows" },
    group("Chart", actions.canMove() ? button("What if?", () => actions.move()) : "", button("+", () => chart.zoomBy(1.5), { "aria-label": "Zoom in" }), button("−", () => chart.zoomBy(1 / 1.5), { "aria-label": "Zoom out" }),
      button("All points", () => chart.fit(), { title: "A frame that holds every point" }),
      button("Machine frame", () => state.change({ zoom: null }), { title: "The axes that follow from the ceilings" })),
    deviceBoxes,
    boxes("Types", "types", data.types, words),
    boxes("Operating point", "at", data.operatingPoints, words),
    boxes("Memory", "levels", data.levels, (level) => plain(level, 30)),
    data.drawn.length > 0 ? group("Points", sought.label,
      data.hasOwn ? choice("Whose", "origin", [["", "all"], ["own", "own and imported"], ["gable", "Gable's"]]) : "", choice("Colour by", "colour", colours), key) : "",
    group("View",
      choice("Axis", "view", [["performance", "performance"], ["time", "time"]], (view) => state.change({ view, zoom: null })),
      couples.length > 0 ? choice("Before and after", "arrows", [["", "no arrows"], ...couples]) : "",
      roofs.label,
      flag("lines to limits", "lines"), flag("names", "labels"), flag("intervals", "bands"), data.roofs.some((roof) => roof.used === false) ? flag("every unit", "units") : "",
      data.roofs.some((roof) => roof.non_temporal) ? flag("non-temporal", "stores") : ""),
    group("Selection", isolate, clear, button("Reset all", () => state.reset())),
    group("Keep", button("SVG", () => actions.save("svg")), button("PNG", () => actions.save("png")), button("Copy link", () => actions.link()),
      choice("Colours", "theme", [["auto", "as the system"], ["light", "light"], ["dark", "dark"]])));
  return { element: bar, update: () => syncs.forEach((task) => task()) };
}
