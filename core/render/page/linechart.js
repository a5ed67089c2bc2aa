// Small charts of one figure against another, both logarithmic unless `linear`.
import { axisBottom, axisLeft } from "d3-axis";
import { scaleLinear, scaleLog } from "d3-scale";
import { select } from "d3-selection";
import { symbol, symbolsFill } from "d3-shape";
import { element, freshId } from "./dom.js";
import { plain, quantity } from "./units.js";

const dashes = [null, "6 3", "2 3", "9 3 2 3"];

/** Series are {name, colour, points: [[x, y] …], dash, flat, bare, thin}; `flat` is a level across the whole chart, `bare` is without
    markers. One without a name is drawn and not listed. */
export function lineChart({ title, xName, yName, xUnit, yUnit, series, theme, linear = false, width = 460, height = 260 }) {
  const margin = { top: 10, right: 14, bottom: 42, left: 76 };
  const w = width - margin.left - margin.right, h = height - margin.top - margin.bottom;
  const all = series.flatMap((one) => one.points), named = series.filter((one) => one.name);
  const ends = (values) => [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
  const [xa, xb] = ends(all.map(([px]) => px)), [ya, yb] = ends([...all.map(([, py]) => py), ...series.filter((one) => one.flat > 0).map((one) => one.flat)]);
  const x = linear ? scaleLinear([0, xb], [0, w]) : scaleLog([xa / 1.2, xb * 1.2], [0, w]);
  const y = linear ? scaleLinear([0, yb * 1.05], [h, 0]) : scaleLog([ya / 1.5, yb * 1.5], [h, 0]);
  const id = freshId("picture");
  const figure = element("figure", { class: "small" });
  const svg = select(figure).append("svg").attr("viewBox", `0 0 ${width} ${height}`).attr("role", "img").attr("aria-labelledby", id);
  svg.append("title").attr("id", id).text(`${title}: ${named.map((one) => plain(one.name, 60)).join("; ")}. Figures are in the table below it.`);
  const root = svg.append("g").attr("transform", `translate(${margin.left},${margin.top})`);
  /** A logarithmic scale chooses which of its ticks have a text. */
  const ticked = (axis, unit) => (linear ? axis.ticks(5).tickFormat((value) => quantity(value, unit, 3)) : axis.ticks(5, (value) => quantity(value, unit, 2)));
  const dress = (axis) => {
    axis.attr("font-size", 11).attr("font-family", "sans-serif").selectAll("text").attr("fill", theme.ink);
    axis.selectAll("path,line").attr("stroke", theme.edge);
  };
  root.append("g").attr("transform", `translate(0,${h})`).call(ticked(axisBottom(x), xUnit)).call(dress);
  root.append("g").call(ticked(axisLeft(y), yUnit)).call(dress);
  root.append("text").attr("x", w / 2).attr("y", h + 34).attr("text-anchor", "middle").attr("font-size", 12).attr("fill", theme.ink).text(xName);
  root.append("text").attr("transform", `translate(-64,${h / 2}) rotate(-90)`).attr("text-anchor", "middle").attr("font-size", 12).attr("fill", theme.ink).text(yName);
  series.forEach((one, index) => {
    const path = one.points.map(([px, py]) => `${x(px).toFixed(1)},${y(py).toFixed(1)}`).join("L");
    if (one.points.length > 1) root.append("path").attr("d", `M${path}`).attr("fill", "none").attr("stroke", one.colour).attr("stroke-width", one.thin ? 0.8 : 1.8)
      .attr("stroke-dasharray", dashes[(one.dash ?? index) % dashes.length]);
    if (one.flat > 0) root.append("line").attr("x2", w).attr("y1", y(one.flat)).attr("y2", y(one.flat)).attr("stroke", one.colour).attr("stroke-dasharray", "2 3");
    if (!one.bare) root.selectAll(null).data(one.points).join("path").attr("d", symbol(symbolsFill[index % symbolsFill.length], 28)())
      .attr("transform", ([px, py]) => `translate(${x(px)},${y(py)})`).attr("fill", one.colour)
      .append("title").text(([px, py]) => `${plain(one.name, 60)}: ${quantity(py, yUnit)} at ${quantity(px, xUnit)}`);
  });
  const key = element("ul", { class: "key" }, named.map((one) => {
    const index = series.indexOf(one);  // its dash and marker are those of the drawing
    const item = element("li");
    const sample = select(item).append("svg").attr("width", 30).attr("height", 12).attr("aria-hidden", "true");
    sample.append("line").attr("x2", 30).attr("y1", 6).attr("y2", 6).attr("stroke", one.colour).attr("stroke-width", 1.8).attr("stroke-dasharray", one.flat > 0 && one.points.length === 0 ? "2 3" : dashes[(one.dash ?? index) % dashes.length]);
    if (one.points.length > 0 && !one.bare) sample.append("path").attr("transform", "translate(15,6)").attr("d", symbol(symbolsFill[index % symbolsFill.length], 28)()).attr("fill", one.colour);
    item.append(plain(one.name, 80));
    return item;
  }));
  figure.prepend(element("figcaption", {}, title));
  const rows = named.flatMap((one) => one.points.map(([px, py]) => element("tr", {}, element("td", {}, plain(one.name, 60)),
    element("td", { class: "figure" }, quantity(px, xUnit)), element("td", { class: "figure" }, quantity(py, yUnit)))));
  figure.append(key, element("details", {}, element("summary", {}, "Figures"), element("div", { class: "scroll" }, element("table", {},
    element("thead", {}, element("tr", {}, ["Series", xName, yName].map((text) => element("th", { scope: "col" }, text)))), element("tbody", {}, rows)))));
  return figure;
}
