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
    if (roof.kind === "compute") return state.types.has(roof.dtype) && state.at.has(roof.at);
    return state.levels.has(roof.level) && (!roof.non_temporal || state.stores);
  });
}

export function visiblePoints(data, state) {
  const roof = state.roof ? data.roofs.find((one) => one.key === state.roof) : null;
  const alone = state.isolated && state.selected.size > 0;
  return data.drawn.filter((point) => state.devices.has(point.of.key) &&
    (state.types.has(point.dtype) || state.types.has(point.compute)) &&
    (!alone || state.selected.has(point.key)) && (!roof || limits(roof, point)));
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

const wide = (low, high, room) => [low / room, high * room];

/** The frame that a view opens with: of the machines, not of their points; times have no roof of their own. */
export function frameOf(data, view) {
  const x = [data.frame.intensity.low, data.frame.intensity.high];
  if (view !== "time") return { x, y: [data.frame.flop_per_s.low, data.frame.flop_per_s.high] };
  const times = data.drawn.flatMap((point) => [point.time_s, point.bound_s]).concat(data.devices.map((device) => device.launch_s))
    .filter((value) => value > 0);
  return { x, y: times.length > 0 ? wide(times.reduce((a, b) => Math.min(a, b)), times.reduce((a, b) => Math.max(a, b)), 3) : [1e-6, 1] };
}

/** The frame that shows every one of these points. */
export function fitted(points, view) {
  const value = (point) => (view === "time" ? point.time_s : point.flop_per_s);
  const range = (values) => wide(values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b)), 2);
  return { x: range(points.map((point) => point.intensity)), y: range(points.map(value)) };
}
