// The roofline: roofs in SVG below, points on a canvas, what belongs to single points in SVG above.
import { axisBottom, axisLeft } from "d3-axis";
import { quadtree } from "d3-quadtree";
import { scaleLog } from "d3-scale";
import { pointer, select } from "d3-selection";
import { zoom, zoomIdentity } from "d3-zoom";
import { pairs } from "./data.js";
import { element } from "./dom.js";
import { marker2d, markerPath } from "./markers.js";
import { placed, placedAlong, placedOnLines, spread } from "./labels.js";
import { colourings, colourOf, isHollow, paper, themeOf } from "./theme.js";
import { quantity, tick, times, plain } from "./units.js";
import { atIntensity, cutRoofs, fitted, frameOf, visiblePoints, visibleRoofs } from "./visible.js";

const dashes = { sustained: "7 4", library: "2 3", datasheet: "9 3 2 3" };
const most = { lines: 300, labels: 40, badges: 60, decades: 14 };
const shortened = (number) => Number(number.toPrecision(6));
const ruler = document.createElement("canvas").getContext("2d");
function textWidth(text, size) {
  ruler.font = `${size}px sans-serif`;
  return ruler.measureText(text).width;
}
/** A text that is cut where it would be wider. */
function fitting(text, size, width) {
  let kept = text;
  while (kept.length > 1 && textWidth(kept, size) > width) kept = `${kept.slice(0, kept.endsWith("…") ? -2 : -1)}…`;
  return kept;
}
const svgName = "http://www.w3.org/2000/svg";

export function makeChart(data, state, actions) {
  const stage = element("div", { class: "stage", tabindex: "0", role: "group", "aria-roledescription": "chart",
    "aria-label": "Roofline chart. Arrow keys go from point to point, Enter selects, plus and minus zoom, 0 resets the frame." });
  const under = select(stage).append("svg").attr("class", "under").attr("aria-hidden", "true");
  const canvas = stage.appendChild(element("canvas", { "aria-hidden": "true" }));
  const over = select(stage).append("svg").attr("class", "over").attr("aria-hidden", "true");
  const badges = stage.appendChild(element("div", { class: "badges" }));
  const clip = "plot-area";
  under.append("clipPath").attr("id", clip).append("rect");
  const layers = {};
  for (const name of ["grounds", "grid", "bands", "roofs", "cores", "ridges", "names", "axes"]) layers[name] = under.append("g");
  for (const name of ["bands", "roofs", "cores", "ridges"]) layers[name].attr("clip-path", `url(#${clip})`);
  over.append("clipPath").attr("id", `${clip}-over`).append("rect");
  for (const name of ["lines", "arrows", "texts", "edges", "marks"]) layers[name] = over.append("g");
  layers.lines.attr("clip-path", `url(#${clip}-over)`);
  const surface = over.append("rect").attr("class", "surface").attr("fill", "transparent");

  const x = scaleLog(), y = scaleLog();
  let shown = { roofs: [], points: [], cut: [] }, tree = null, size = {}, theme = paper, frame = null, queued = false, roofNames = [], severalPoints = new Set();

  const value = (point) => (state.view === "time" ? point.time_s : point.flop_per_s);
  const bound = (point) => (state.view === "time" ? point.bound_s : point.limit_flop_per_s);
  const place = (point) => [x(point.intensity), y(value(point))];
  const tint = (on, point) => colourOf(on, colourings[state.colour].of(point, data));
  const hollow = (point) => state.colour === "device" && isHollow(point.of);
  const inside = ([px, py]) => px >= 0 && px <= size.width && py >= 0 && py <= size.height;

  function measure() {
    const full = stage.clientWidth || 800, narrow = full < 620;
    const margin = { top: 12, right: narrow ? 26 : 190, bottom: 46, left: narrow ? 58 : 66 };
    const height = Math.max(340, Math.min(660, full * (narrow ? 1.05 : 0.62), narrow ? 660 : window.innerHeight - stage.getBoundingClientRect().top - window.scrollY - 72));  // above the fold
    size = { full, tall: height, narrow, margin, width: full - margin.left - margin.right, height: height - margin.top - margin.bottom };
    stage.style.height = `${height}px`;
    for (const svg of [under, over]) {
      svg.attr("width", full).attr("height", height).attr("viewBox", `0 0 ${full} ${height}`);
      svg.selectAll("clipPath rect").attr("width", size.width).attr("height", size.height);
    }
    for (const layer of Object.values(layers)) layer.attr("transform", `translate(${margin.left},${margin.top})`);
    surface.attr("x", margin.left).attr("y", margin.top).attr("width", size.width).attr("height", size.height);
    const ratio = window.devicePixelRatio || 1;
    canvas.width = Math.round(size.width * ratio);
    canvas.height = Math.round(size.height * ratio);
    Object.assign(canvas.style, { left: `${margin.left}px`, top: `${margin.top}px`, width: `${size.width}px`, height: `${size.height}px` });
  }

  function drawAxes() {
    const text = (axis) => {
      axis.attr("font-size", 12).attr("font-family", "sans-serif").selectAll("text").attr("fill", theme.ink);
      axis.selectAll("path,line").attr("stroke", theme.edge);
    };
    const across = Math.max(2, Math.floor(size.width / 70)), up = Math.max(2, Math.floor(size.height / 46));
    const bottom = layers.axes.selectAll("g.x").data([0]).join("g").attr("class", "x").attr("transform", `translate(0,${size.height})`);
    bottom.call(axisBottom(x).offset(0).ticks(across, (number) => String(Number(number.toPrecision(3))))).call(text);
    const left = layers.axes.selectAll("g.y").data([0]).join("g").attr("class", "y");
    left.call(axisLeft(y).offset(0).ticks(up, (number) => tick(number))).call(text);
    layers.axes.selectAll("text.title").data([
      { words: "Arithmetic intensity, FLOP/byte", at: [size.width / 2, size.height + 38], turn: 0 },
      { words: state.view === "time" ? "Time of one run, s" : "Performance, FLOP/s", at: [-(size.narrow ? 47 : 52), size.height / 2], turn: -90 },
    ]).join("text").attr("class", "title").attr("text-anchor", "middle").attr("font-size", 13).attr("font-family", "sans-serif")
      .attr("fill", theme.ink).attr("transform", ({ at, turn }) => `translate(${at}) rotate(${turn})`).text(({ words }) => words);
    const decade = (number) => Math.abs(Math.log10(number) - Math.round(Math.log10(number))) < 1e-9;
    const marks = [...x.ticks().filter(decade).map((one) => ({ x1: x(one), x2: x(one), y1: 0, y2: size.height })),
      ...y.ticks().filter(decade).map((one) => ({ x1: 0, x2: size.width, y1: y(one), y2: y(one) }))];
    layers.grid.selectAll("line").data(marks).join("line").attr("stroke", theme.grid)
      .attr("x1", (one) => one.x1).attr("x2", (one) => one.x2).attr("y1", (one) => one.y1).attr("y2", (one) => one.y2);
  }

  /** Where every type shown is memory-bound, and where every one is compute-bound. */
  function drawGrounds() {
    const ridges = data.ridges.filter((ridge) => state.devices.has(ridge.device && shownDevice(ridge)) && shown.roofs.some((roof) => roof.kind === "compute" &&
      roof.device === ridge.device && Math.abs(roof.rate / ridge.flop_per_s - 1) < 1e-9));
    const parts = [];
    if (state.view !== "time" && ridges.length > 0) {
      const clampX = (number) => Math.max(0, Math.min(size.width, x(number)));
      const low = clampX(Math.min(...ridges.map((ridge) => ridge.intensity))), high = clampX(Math.max(...ridges.map((ridge) => ridge.intensity)));
      parts.push({ from: 0, to: low, words: "memory-bound", start: true }, { from: high, to: size.width, words: "compute-bound", start: false });
    }
    layers.grounds.selectAll("rect").data(parts).join("rect").attr("x", ({ from }) => from).attr("width", ({ from, to }) => Math.max(0, to - from))
      .attr("height", size.height).attr("fill", ({ start }) => (start ? "#0072b2" : "#d55e00")).attr("opacity", theme.dark ? 0.09 : 0.05);
    layers.grounds.selectAll("text").data(parts.filter(({ from, to, words }) => to - from > textWidth(words, 12) + 16)).join("text")
      .attr("x", ({ from, to, start }) => (start ? from + 8 : to - 8)).attr("y", size.height - 8).attr("text-anchor", ({ start }) => (start ? "start" : "end"))
      .attr("font-size", 12).attr("font-family", "sans-serif").attr("font-style", "italic").attr("fill", theme.pale).text(({ words }) => words);
    const size2 = 5;
    layers.ridges.selectAll("path").data(state.view === "time" ? [] : ridges).join("path").attr("fill", theme.ground).attr("stroke-width", 1.4)
      .attr("stroke", (ridge) => colourOf(theme, deviceOf(ridge)))
      .attr("d", (ridge) => { const px = x(ridge.intensity), py = y(ridge.flop_per_s); return `M${px - size2},${py}L${px},${py - size2}L${px + size2},${py}L${px},${py + size2}Z`; });
  }
  const deviceOf = (row) => data.devices.find((device) => device.id === row.device);
  const shownDevice = (row) => deviceOf(row).key;

  function roofPath({ roof, from, to }, rate) {
    const ends = [Math.max(from, x.domain()[0]), Math.min(to, x.domain()[1])];
    return ends[0] < ends[1] ? ends.map((one) => [x(one), y(atIntensity(roof, rate, one))]) : null;
  }
  const asPath = (corners) => (corners ? `M${corners.map(([px, py]) => `${px.toFixed(2)},${py.toFixed(2)}`).join("L")}` : "");
  const fades = (roof) => state.roof && state.roof !== roof.key;
  const widthOf = (roof) => (roof.non_temporal ? 1 : roof.kind === "bandwidth" ? 1.8 : { matrix: 2.6, vector: 1.9 }[roof.execution_unit] ?? 1.2);

  function drawRoofs() {
    const cut = state.view === "time" ? [] : shown.cut;
    layers.roofs.selectAll("path.roof").data(cut, ({ roof }) => roof.key).join("path").attr("class", "roof").attr("fill", "none")
      .attr("stroke", ({ roof }) => colourOf(theme, roof.of)).attr("stroke-width", ({ roof }) => widthOf(roof) + (state.hovered === roof ? 1.5 : 0) + (isHollow(roof.of) ? 2 : 0))
      .attr("stroke-dasharray", ({ roof }) => (roof.non_temporal ? "5 3" : dashes[roof.at] ?? null))
      .attr("opacity", ({ roof }) => (fades(roof) ? 0.15 : 1)).attr("d", (one) => asPath(roofPath(one, one.roof.rate)));
    layers.cores.selectAll("path").data(cut.filter(({ roof }) => isHollow(roof.of)), ({ roof }) => roof.key).join("path").attr("fill", "none").attr("stroke", theme.ground)
      .attr("stroke-width", 1.2).attr("opacity", ({ roof }) => (fades(roof) ? 0.3 : 1)).attr("d", (one) => asPath(roofPath(one, one.roof.rate)));
    const banded = state.bands ? cut.filter(({ roof }) => roof.low > 0 && roof.high > roof.low && !fades(roof)) : [];
    layers.bands.selectAll("path").data(banded, ({ roof }) => roof.key).join("path").attr("stroke", "none").attr("opacity", 0.25)
      .attr("fill", ({ roof }) => colourOf(theme, roof.of)).attr("d", (one) => {
        const low = roofPath(one, one.roof.low), high = roofPath(one, one.roof.high);
        return low && high ? `${asPath([...high, ...low.reverse()])}Z` : "";
      });
    const floors = state.view === "time" ? data.devices.filter((device) => device.launch_s > 0 && state.devices.has(device.key)) : [];
    layers.roofs.selectAll("line").data(floors).join("line").attr("x1", 0).attr("x2", size.width).attr("y1", (device) => y(device.launch_s))
      .attr("y2", (device) => y(device.launch_s)).attr("stroke", (device) => colourOf(theme, device)).attr("stroke-width", 1.8);
    drawNames(cut, floors);
  }

  const flatText = (roof, types) => [roof.of.short, types.join("/"), roof.group, severalPoints.has(roof.device) ? roof.at : "", quantity(roof.rate, roof.unit, 3)].filter(Boolean).join(" ");
  /** Types of one device and unit whose lines lie on each other share a name as far as there is room. */
  function addFlat(list, roof, [[start], at], room) {
    const same = list.find((one) => one.roof && one.roof.device === roof.device && one.roof.group === roof.group && one.roof.at === roof.at && Math.abs(one.roof.rate / roof.rate - 1) < 1e-3 &&
      textWidth(flatText(roof, [...one.types, roof.types]), 11) <= room);
    const types = [...(same?.types ?? []), roof.types];
    if (same) Object.assign(same, { types, text: flatText(same.roof, types) });
    else list.push({ roof, types, start, at, text: flatText(roof, types), rank: roof.rate, of: roof.of });
  }

  /** What names keep off where there are few enough points to keep off. */
  function pointBoxes() {
    const at = shown.points.length > most.lines ? [] : shown.points.map(place).filter(inside);
    return at.map(([px, py]) => ({ left: px - 5, top: py - 5, width: 10, height: 10 }));
  }

  function drawNames(cut, floors) {
    const points = new Map();  // operating points that are shown of a device
    for (const { roof } of cut) if (roof.kind === "compute") points.set(roof.device, (points.get(roof.device) ?? new Set()).add(roof.at));
    severalPoints = new Set([...points].filter(([, at]) => at.size > 1).map(([device]) => device));
    const right = [], along = [], room = size.narrow ? size.width * 0.72 : size.margin.right - 18;
    const slope = Math.atan2(-(y(10) - y(1)), x(10) - x(1));
    for (const one of cut) {
      const corners = roofPath(one, one.roof.rate);
      if (!corners || fades(one.roof)) continue;
      if (one.roof.kind === "compute") {
        if (corners[1][1] > 0 && corners[1][1] < size.height) addFlat(right, one.roof, corners, room);
        continue;
      }
      const text = `${one.roof.label}  ${quantity(one.roof.rate, one.roof.unit, 3)}`;
      if (slope > 0) along.push({ corners, text, slope, outer: one.roof.level === one.roof.of.levels.at(-1)?.name });
    }
    for (const device of floors) {
      const at = y(device.launch_s), text = `${device.short} launch ${quantity(device.launch_s, "s", 3)}${at > size.height ? ", below" : ""}`.trim();
      right.push({ start: 0, at: [size.width, Math.min(size.height, at)], of: device, text, rank: device.launch_s });
    }
    const beside = size.narrow ? [] : spread(right, size.height, 13).map((one) => ({ ...one, text: fitting(plain(one.text, 120), 11, room) }));
    const onLines = size.narrow ? placedOnLines(right.map((one) => ({ ...one, text: fitting(plain(one.text, 120), 10.5, room) })), size, (text) => textWidth(text, 10.5), 12, pointBoxes()) : [];
    layers.names.selectAll("path").data(beside).join("path").attr("fill", "none").attr("stroke", ({ of }) => colourOf(theme, of)).attr("stroke-width", 0.8)
      .attr("d", (one) => `M${size.width},${one.at[1]}L${size.width + 13},${one.y}`);
    layers.names.selectAll("rect").data(onLines).join("rect").attr("x", ({ box }) => box.left - 2).attr("y", ({ box }) => box.top).attr("width", ({ box }) => box.width + 4)
      .attr("height", ({ box }) => box.height).attr("fill", theme.ground).attr("opacity", 0.85);
    layers.names.selectAll("text.flat").data([...beside, ...onLines]).join("text").attr("class", "flat").attr("x", ({ box }) => (box ? box.left : size.width + 15))
      .attr("y", (one) => (one.box ? one.box.top + 10 : one.y + 4)).attr("font-size", size.narrow ? 10.5 : 11).attr("font-family", "sans-serif").attr("fill", theme.ink)
      .text((one) => one.text).each(function raise() { this.parentNode.append(this); });
    roofNames = onLines.map(({ box }) => box);
    along.sort((a, b) => b.outer - a.outer);  // main memory has its name first
    const named = size.narrow && data.devices.length > 1 ? along.filter((one) => one.outer) : along;
    const angled = placedAlong(named, size, (text) => textWidth(text, 11.5), roofNames, pointBoxes());
    roofNames.push(...angled.flatMap(({ boxes }) => boxes));
    layers.names.selectAll("text.slope").data(angled).join("text").attr("class", "slope").attr("font-size", 11.5).attr("font-family", "sans-serif")
      .attr("fill", theme.ink).attr("paint-order", "stroke").attr("stroke", theme.ground).attr("stroke-width", 3).attr("stroke-linejoin", "round")
      .attr("transform", ({ at, slope: angle }) => `translate(${at}) rotate(${-(angle * 180) / Math.PI}) translate(0,-4)`).text((one) => plain(one.text, 60));
  }

  /** The arrows that are drawn. */
  function couples() {
    const [from, to] = (state.arrows || "-").split("-");
    const visible = new Set(shown.points);
    return from && to ? pairs(data, from, to).filter(({ before, after }) => visible.has(before) && visible.has(after)) : [];
  }

  const faint = (point) => state.selected.size > 0 && !state.isolated && !state.selected.has(point.key);

  function drawPoints() {
    const brush = canvas.getContext("2d"), ratio = window.devicePixelRatio || 1;
    brush.setTransform(ratio, 0, 0, ratio, 0, 0);
    brush.clearRect(0, 0, size.width, size.height);
    const area = shown.points.length > 2000 ? 24 : 52;
    for (const point of shown.points) {
      const [px, py] = place(point);
      if (!inside([px, py])) continue;
      brush.setTransform(ratio, 0, 0, ratio, px * ratio, py * ratio);
      brush.globalAlpha = faint(point) ? 0.2 : 0.9;
      const path = marker2d(point.regime, area), open = hollow(point);
      brush.fillStyle = open ? theme.ground : tint(theme, point);
      brush.strokeStyle = open ? tint(theme, point) : theme.ground;
      brush.lineWidth = open ? 1.8 : 1;
      brush.fill(path);
      brush.stroke(path);
    }
    brush.globalAlpha = 1;
  }

  /** The intensities by the bytes of each level, joined by a line: how far each cache filters what the next one moves. */
  function drawLevels(lined) {
    const reached = lined.filter((point) => point.levels && !faint(point));
    const ends = (point) => [point, ...point.levels].map(({ intensity }) => x(intensity));
    layers.lines.selectAll("path.levels").data(reached, (point) => point.index).join("path").attr("class", "levels").attr("fill", "none")
      .attr("stroke", (point) => tint(theme, point)).attr("d", (point) => `M${Math.min(...ends(point))},${y(value(point))}H${Math.max(...ends(point))}`);
    const dots = reached.flatMap((point) => point.levels.map((level) => ({ point, level, at: [x(level.intensity), y(value(point))] })));
    layers.lines.selectAll("circle").data(dots).join("circle").attr("r", 3).attr("fill", theme.ground).attr("stroke", ({ point }) => tint(theme, point))
      .attr("cx", ({ at }) => at[0]).attr("cy", ({ at }) => at[1]);
    layers.lines.selectAll("text").data(dots).join("text").attr("x", ({ at }) => at[0]).attr("y", ({ at }) => at[1] + 15).attr("text-anchor", "middle")
      .attr("font-size", 10).attr("font-family", "sans-serif").attr("fill", theme.ink).text(({ level }) => plain(level.name, 12));
  }

  /** From the longest to the shortest of the calls that a point is the mean of, as if each did the same. */
  function drawCalls(lined) {
    const spread = lined.filter((point) => point.longest_call_s > 0 && !faint(point));
    const at = (point, call) => y((value(point) * point.time_s) / call);
    layers.lines.selectAll("path.calls").data(spread, (point) => point.index).join("path").attr("class", "calls").attr("stroke-width", 2)
      .attr("stroke", (point) => tint(theme, point))
      .attr("d", (point) => `M${x(point.intensity)},${at(point, point.longest_call_s)}V${at(point, point.shortest_call_s)}`);
  }

  function drawLines() {
    const lined = state.lines && shown.points.length <= most.lines ? shown.points : shown.points.filter((point) => state.selected.has(point.key) || state.hovered === point);
    layers.lines.selectAll("line").data(lined.filter((point) => bound(point) > 0 && !faint(point)), (point) => point.index).join("line")
      .attr("x1", (point) => x(point.intensity)).attr("x2", (point) => x(point.intensity)).attr("y1", (point) => y(value(point)))
      .attr("y2", (point) => y(bound(point))).attr("stroke", (point) => tint(theme, point)).attr("stroke-dasharray", "2 3");
    drawLevels(lined);
    drawCalls(lined);
    const named = state.labels || state.selected.size > 0
      ? shown.points.filter((point) => inside(place(point)) && (state.selected.size > 0 ? state.selected.has(point.key) : true)) : [];
    const coupled = new Set(couples().flatMap(({ before, after }) => [before, after]));
    const by = named.filter((point) => !coupled.has(point)).sort((a, b) => (b.lost_s ?? 0) - (a.lost_s ?? 0)).slice(0, most.labels);
    const texts = placed(by.map((point) => {
      const [px, py] = place(point), words = plain(`${point.of.short} ${point.name}`.trim(), 40), wide = textWidth(words, 11);
      const left = px + 9 + wide > size.width ? px - 9 - wide : px + 9;
      return { point, words, box: { left, top: py - 8, width: wide, height: 14 } };
    }), roofNames);
    layers.texts.selectAll("text").data(texts, ({ point }) => point.index).join("text").attr("x", ({ box }) => box.left).attr("y", ({ box }) => box.top + 12)
      .attr("font-size", 11).attr("font-family", "sans-serif").attr("fill", theme.ink).attr("paint-order", "stroke").attr("stroke", theme.ground)
      .attr("stroke-width", 3).attr("stroke-linejoin", "round").text(({ words }) => words);
    drawMarks();
  }

  /** Where the sliders of the lesson move a point. */
  function drawGhost() {
    const ghost = state.ghost && state.view !== "time" ? state.ghost : null;
    const at = ghost ? [x(ghost.intensity), y(ghost.flop_per_s)] : null;
    const drawn = ghost && inside(at) ? [{ at, from: place(ghost.from) }] : [];
    layers.marks.selectAll("path.ghost").data(drawn).join("path").attr("class", "ghost").attr("fill", "none").attr("stroke", theme.ink).attr("stroke-width", 2)
      .attr("d", ({ at: [px, py], from: [fx, fy] }) => `M${fx},${fy}L${px},${py}M${px - 8},${py}a8,8 0 1 0 16,0a8,8 0 1 0 -16,0`).attr("stroke-dasharray", "3 2");
  }

  function drawMarks() {
    drawGhost();
    const rings = shown.points.filter((point) => (state.selected.has(point.key) || state.hovered === point) && inside(place(point)));
    layers.marks.selectAll("circle").data(rings, (point) => point.index).join("circle").attr("r", 9).attr("fill", "none").attr("stroke", theme.ink)
      .attr("stroke-width", (point) => (state.hovered === point ? 2.4 : 1.5)).attr("cx", (point) => place(point)[0]).attr("cy", (point) => place(point)[1]);
  }

  /** From before to after, with the gain. */
  function drawArrows() {
    const list = couples();
    const arrow = ({ before, after }) => {
      const [ax, ay] = place(before), [bx, by] = place(after), long = Math.hypot(bx - ax, by - ay);
      if (long < 4) return "";
      const ux = (bx - ax) / long, uy = (by - ay) / long, ex = bx - ux * 6, ey = by - uy * 6;
      return `M${ax},${ay}L${ex},${ey}M${ex - ux * 7 - uy * 4},${ey - uy * 7 + ux * 4}L${ex},${ey}L${ex - ux * 7 + uy * 4},${ey - uy * 7 - ux * 4}`;
    };
    layers.arrows.selectAll("path").data(list).join("path").attr("fill", "none").attr("stroke", theme.ink).attr("stroke-width", 1.4)
      .attr("stroke-opacity", 0.75).attr("d", arrow);
    const texts = placed([...list].sort((a, b) => Math.abs(Math.log(b.gain)) - Math.abs(Math.log(a.gain))).filter(({ after }) => inside(place(after)))
      .slice(0, most.labels).map((one) => {
        const [px, py] = place(one.after), words = state.labels ? `${plain(one.after.name, 40)} ${times(one.gain)}` : times(one.gain);
        const wide = textWidth(words, 11);
        return { ...one, words, box: { left: px + 9 + wide > size.width ? px - 9 - wide : px + 9, top: py - 8, width: wide, height: 14 } };
      }), roofNames);
    layers.arrows.selectAll("text").data(texts).join("text").attr("x", ({ box }) => box.left).attr("y", ({ box }) => box.top + 12).attr("font-size", 11)
      .attr("font-weight", "bold").attr("font-family", "sans-serif").attr("fill", theme.ink).attr("paint-order", "stroke").attr("stroke", theme.ground)
      .attr("stroke-width", 3).text(({ words }) => words);
  }

  /** Points that the frame leaves out stand at its edge, and one button a side says how many. */
  function drawBadges() {
    const outside = shown.points.filter((point) => !inside(place(point)));
    const clampTo = (number, high) => Math.max(0, Math.min(high, number));
    const side = ([px, py]) => (px < 0 ? "left" : px > size.width ? "right" : py < 0 ? "top" : "bottom");
    const turns = { left: -90, right: 90, top: 0, bottom: 180 };
    const marks = outside.slice(0, most.badges).map((point) => {
      const at = place(point), where = side(at);
      return { point, where, at: [clampTo(at[0], size.width), clampTo(at[1], size.height)] };
    });
    layers.edges.selectAll("path").data(marks, ({ point }) => point.index).join("path").attr("d", "M-5,7L0,0L5,7Z").attr("fill", ({ point }) => tint(theme, point))
      .attr("stroke", theme.ink).attr("stroke-width", 0.8).attr("transform", ({ at, where }) => `translate(${at}) rotate(${turns[where]})`);
    const counts = { left: 0, right: 0, top: 0, bottom: 0 };
    for (const point of outside) counts[side(place(point))] += 1;
    const sentences = { left: "to the left", right: "to the right", top: "above", bottom: "below" }, arrows = { left: "◂", right: "▸", top: "▴", bottom: "▾" };
    const textOf = (where, count) => `${count} ${count === 1 ? "point" : "points"} ${sentences[where]}`;
    badges.replaceChildren(...Object.entries(counts).filter(([, count]) => count > 0).map(([where, count]) =>
      element("button", { type: "button", class: `badge ${where}`, title: "Show all points", "aria-label": textOf(where, count), onclick: () => chart.fit() },
        size.narrow ? `${count} ${arrows[where]}` : textOf(where, count))));
    Object.assign(badges.style, { left: `${size.margin.left}px`, top: `${size.margin.top}px`, width: `${size.width}px`, height: `${size.height}px` });
  }

  function render() {
    queued = false;
    theme = chart.theme ?? themeOf(state.theme);
    frame = frameOf(data, state.view);
    const view = state.zoom ?? frame;
    x.domain(view.x).range([0, size.width]);
    y.domain(view.y).range([size.height, 0]);
    const roofs = visibleRoofs(data, state);
    shown = { roofs, points: visiblePoints(data, state), cut: cutRoofs(roofs, view.x) };
    tree = null;
    drawAxes();
    drawGrounds();
    drawRoofs();
    drawPoints();
    drawLines();
    drawArrows();
    drawBadges();
    stage.dataset.points = shown.points.length;
    stage.dataset.roofs = state.view === "time" ? 0 : shown.cut.length;
  }
  const queue = () => {
    if (queued) return;
    queued = true;
    requestAnimationFrame(render);
  };

  function nearest(px, py) {
    tree ??= quadtree(shown.points.filter((point) => inside(place(point))), (point) => place(point)[0], (point) => place(point)[1]);
    const point = tree.find(px, py, 18);
    if (point) return point;
    let best = null, least = 7;
    for (const one of state.view === "time" ? [] : shown.cut) {
      const intensity = x.invert(px);
      if (intensity < one.from || intensity > one.to) continue;
      const away = Math.abs(y(atIntensity(one.roof, one.roof.rate, intensity)) - py);
      if (away < least) [best, least] = [one.roof, away];
    }
    return best;
  }

  /** An axis keeps within what numbers and eyes can take. */
  function allowed(range) {
    const decades = Math.log10(range[1] / range[0]);
    return range.every((one) => one > 1e-30 && one < 1e30) && decades > 0.02 && decades < most.decades;
  }
  function moveTo(next) {
    const rounded = { x: next.x.map(shortened), y: next.y.map(shortened) };  // what a link holds is what is shown
    if (allowed(rounded.x) && allowed(rounded.y)) state.change({ zoom: rounded, hovered: null }, "frame");
  }
  let last = zoomIdentity;
  const gestures = zoom().filter((event) => (event.type === "wheel" ? event.ctrlKey || event.metaKey || event.shiftKey : !event.button && (event.type !== "touchstart" || event.touches.length > 1)));
  function back(at, shift, k, beforeK, before) { return ((at - shift) / k) * beforeK + before; }
  gestures.on("zoom", ({ transform }) => {
    const { left, top } = size.margin;
    const next = {
      x: [0, size.width].map((at) => x.invert(back(at + left, transform.x, transform.k, last.k, last.x) - left)),
      y: [size.height, 0].map((at) => y.invert(back(at + top, transform.y, transform.k, last.k, last.y) - top)),
    };
    last = transform;
    moveTo(next);
  });
  surface.call(gestures).on("dblclick.zoom", null);

  surface.on("pointermove", (event) => {
    if (event.buttons || event.pointerType === "touch") return;
    const [px, py] = pointer(event, stage);
    actions.hover(nearest(px - size.margin.left, py - size.margin.top), [px, py]);
  }).on("pointerleave", () => actions.hover(null))
    .on("click", (event) => {
      const [px, py] = pointer(event, stage);
      const found = nearest(px - size.margin.left, py - size.margin.top);
      if (!found) return;
      if (found.rate !== undefined) state.change({ roof: state.roof === found.key ? "" : found.key });
      else actions.pick(found, event.shiftKey || event.ctrlKey || event.metaKey);
    })
    .on("dblclick", (event) => {
      const [px, py] = pointer(event, stage);
      chart.zoomBy(2, [px - size.margin.left, py - size.margin.top]);
    });

  stage.addEventListener("keydown", (event) => {
    if (event.target !== stage || event.ctrlKey || event.metaKey || event.altKey) return;
    const order = [...shown.points].sort((a, b) => a.intensity - b.intensity || a.index - b.index);
    const at = order.indexOf(state.hovered);
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step && order.length > 0) {
      const point = order[at < 0 ? (step > 0 ? 0 : order.length - 1) : (at + step + order.length) % order.length];
      const [px, py] = place(point);
      actions.hover(point, [Math.max(0, Math.min(size.width, px)) + size.margin.left, Math.max(0, Math.min(size.height, py)) + size.margin.top], true);
    } else if (event.key === "Enter" || event.key === " ") {
      if (at >= 0) actions.pick(state.hovered, true);
    } else if (event.key === "+" || event.key === "=") chart.zoomBy(1.5);
    else if (event.key === "-") chart.zoomBy(1 / 1.5);
    else if (event.key === "0") state.change({ zoom: null });
    else if (event.key === "Escape") actions.hover(null);
    else return;
    event.preventDefault();
  });

  const chart = {
    element: stage,
    theme: null,
    render() { measure(); render(); },
    queue,
    hover() { drawRoofs(); drawLines(); },
    fit() {
      if (shown.points.length > 0) moveTo(fitted(shown.points, state.view));
    },
    zoomBy(factor, at = [size.width / 2, size.height / 2]) {
      const next = (scale, ends, middle) => ends.map((end) => scale.invert(middle + (end - middle) / factor));
      moveTo({ x: next(x, [0, size.width], at[0]), y: next(y, [size.height, 0], at[1]) });
    },
    place: (point) => { const [px, py] = place(point); return [px + size.margin.left, py + size.margin.top]; },
    /** How many points a box of the stage would cover, where there are few enough to count. */
    covered({ left, top, width, height }) {
      const [x0, y0] = [left - size.margin.left, top - size.margin.top];
      const within = ([px, py]) => px > x0 && px < x0 + width && py > y0 && py < y0 + height;
      return (shown.points.length > most.lines ? [] : shown.points.map(place).filter(within)).length;
    },
    /** The whole chart as one SVG that needs nothing else, on paper. */
    svg(title) {
      const kept = chart.theme;
      chart.theme = paper;
      render();
      const picture = document.createElementNS(svgName, "svg");
      for (const [key, text] of Object.entries({ xmlns: svgName, width: size.full, height: size.tall + 30, viewBox: `0 -30 ${size.full} ${size.tall + 30}` }))
        picture.setAttribute(key, text);
      const root = select(picture);
      root.append("title").text(title);
      root.append("rect").attr("y", -30).attr("width", size.full).attr("height", size.tall + 30).attr("fill", paper.ground);
      root.append("text").attr("x", size.margin.left).attr("y", -8).attr("font-size", 15).attr("font-family", "sans-serif").attr("fill", paper.ink).text(plain(title, 110));
      for (const child of under.node().children) picture.append(child.cloneNode(true));
      const area = shown.points.length > 2000 ? 24 : 52;
      const group = root.append("g").attr("class", "points").attr("transform", `translate(${size.margin.left},${size.margin.top})`);
      for (const point of shown.points) {
        const at = place(point);
        if (!inside(at)) continue;
        group.append("path").attr("d", markerPath(point.regime, area)).attr("transform", `translate(${at[0].toFixed(2)},${at[1].toFixed(2)})`)
          .attr("fill", hollow(point) ? paper.ground : tint(paper, point)).attr("stroke", hollow(point) ? tint(paper, point) : paper.ground)
          .attr("stroke-width", hollow(point) ? 1.8 : 1).attr("opacity", faint(point) ? 0.2 : 0.9)
          .append("title").text(`${plain(`${point.of.short} ${point.name} ${point.params}`.trim(), 200)}: ${point.flop_per_s} flop/s at ${point.intensity} flop/byte`);
      }
      for (const child of over.node().children) if (child.getAttribute("class") !== "surface") picture.append(child.cloneNode(true));
      chart.theme = kept;
      render();
      return new XMLSerializer().serializeToString(picture);
    },
  };
  new ResizeObserver(() => { if (stage.clientWidth !== size.full) chart.render(); }).observe(stage);
  window.addEventListener("resize", () => { if (!size.narrow) chart.render(); });
  return chart;
}
