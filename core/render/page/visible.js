// Which roofs and points the reader's choices leave, and where they end.

/** Whether a point's limit is a roof, whatever its operating point. */
export function limits(roof, point) {
  if (roof.device !== point.device) return false;
  if (roof.kind === "bandwidth") return point.limit_kind === "bandwidth" && point.limit_level === roof.level;
  return point.limit_kind === "compute" && point.limit_execution_unit === roof.execution_unit && point.limit_dtype === roof.dtype;
}

export function visibleRoofs(data, state) {
  return data.roofs.filter((roof) => {
    if (!state.devices.has(roof.of.key)) return false;
    if (roof.kind === "compute") return state.types.has(roof.dtype) && state.at.has(roof.at) && (state.units || roof.used || state.roof === roof.key);
    return state.levels.has(roof.level) && (!roof.non_temporal || state.stores);
  });
}

/** Whether a point is of those that were searched for: own or Gable's, with every word. */
export function isSought(point, state) {
  if (state.origin && (state.origin === "own") !== Boolean(point.own)) return false;
  if (!state.words) return true;
  point.sought ??= [point.name, point.label, point.params, point.regime, point.limit, point.of?.title].join(" ").toLowerCase();
  return state.words.toLowerCase().split(/\s+/).every((word) => point.sought.includes(word));
}

export function visiblePoints(data, state) {
  const roof = state.roof ? data.roofs.find((one) => one.key === state.roof) : null;
  const alone = state.isolated && state.selected.size > 0;
  return data.drawn.filter((point) => state.devices.has(point.of.key) &&
    (state.types.has(point.dtype) || state.types.has(point.compute)) &&
    isSought(point, state) && (!alone || state.selected.has(point.key)) && (!roof || limits(roof, point)));
}

/** Ends of each roof where those of its device meet: slopes end at the highest flat one, which starts at the steepest. */
export function cutRoofs(roofs, domain) {
  const ends = new Map();
  for (const roof of roofs) {
    const of = ends.get(roof.device) ?? { peak: 0, steepest: 0 };
    if (roof.kind === "compute") of.peak = Math.max(of.peak, roof.rate);
    else of.steepest = Math.max(of.steepest, roof.rate);
    ends.set(roof.device, of);
  }
  return roofs.map((roof) => {
    const { peak, steepest } = ends.get(roof.device);
    if (roof.kind === "compute") return { roof, from: steepest > 0 ? Math.max(domain[0], roof.rate / steepest) : domain[0], to: domain[1] };
    return { roof, from: domain[0], to: peak > 0 ? Math.min(domain[1], peak / roof.rate) : domain[1] };
  }).filter(({ from, to }) => from < to);
}

export const atIntensity = (roof, rate, intensity) => (roof.kind === "compute" ? rate : rate * intensity);

/** From the lowest to the highest, with some room; nothing of none. */
const rangeOf = (values) => (values.length > 0 ? [values.reduce((a, b) => Math.min(a, b)) / 2, values.reduce((a, b) => Math.max(a, b)) * 2] : null);

/** The frame that a view opens with: of the machines, not of their points; that of times, which have no roof of their own, of the points. */
export function frameOf(data, view) {
  const x = [data.frame.intensity.low, data.frame.intensity.high];
  if (view !== "time") return { x, y: [data.frame.flop_per_s.low, data.frame.flop_per_s.high] };
  const times = data.drawn.flatMap((point) => [point.time_s, point.bound_s]).filter((value) => value > 0);
  return { x: rangeOf(data.drawn.map((point) => point.intensity)) ?? x, y: rangeOf(times) ?? [1e-6, 1] };
}

/** The frame that shows every one of these points. */
export const fitted = (points, view) => ({ x: rangeOf(points.map((point) => point.intensity)),
  y: rangeOf(points.map((point) => (view === "time" ? point.time_s : point.flop_per_s))) });
