// The tools above the chart.
import { button, checkbox, element, select } from "./dom.js";
import { colourOf, isHollow, themeOf } from "./theme.js";
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
  const bar = element("div", { class: "tools", role: "group", "aria-label": "What the chart shows" },
    deviceBoxes,
    boxes("Types", "types", data.types, words),
    boxes("Operating point", "at", data.operatingPoints, words),
    boxes("Memory", "levels", data.levels, (level) => plain(level, 30)),
    group("View",
      choice("Axis", "view", [["performance", "performance"], ["time", "time"]], (view) => state.change({ view, zoom: null })),
      couples.length > 0 ? choice("Before and after", "arrows", [["", "no arrows"], ...couples]) : "",
      roofs.label,
      flag("lines to limits", "lines"), flag("names", "labels"), flag("intervals", "bands"),
      data.roofs.some((roof) => roof.non_temporal) ? flag("non-temporal", "stores") : ""),
    group("Frame", button("+", () => chart.zoomBy(1.5), { "aria-label": "Zoom in" }), button("−", () => chart.zoomBy(1 / 1.5), { "aria-label": "Zoom out" }),
      button("All points", () => chart.fit(), { title: "A frame that holds every point" }),
      button("Machine frame", () => state.change({ zoom: null }), { title: "The axes that follow from the ceilings" })),
    group("Selection", isolate, clear, button("Reset all", () => state.reset())),
    group("Keep", button("SVG", () => actions.save("svg")), button("PNG", () => actions.save("png")), button("Copy link", () => actions.link())));
  return { element: bar, update: () => syncs.forEach((task) => task()) };
}
