// What the reader chose, kept in the fragment of the address, so that a link shows the same.

const sets = ["devices", "types", "at", "levels", "selected"];
const texts = ["view", "roof", "arrows", "baseline", "theme", "colour", "origin"];
const switches = ["isolated", "lines", "bands", "labels", "stores", "units"];

export function makeState(defaults) {
  const listeners = new Set();
  const fresh = () => ({ ...defaults, ...Object.fromEntries(sets.map((name) => [name, new Set(defaults[name])])), zoom: null });
  const state = { ...fresh(), hovered: null, ghost: null };

  const same = (name) => state[name].size === defaults[name].length && defaults[name].every((one) => state[name].has(one));
  state.fragment = () => {
    const parts = new URLSearchParams();
    for (const name of sets) if (!same(name)) parts.set(name, [...state[name]].map(encodeURIComponent).join(","));
    for (const name of texts) if (state[name] !== defaults[name]) parts.set(name, state[name]);
    for (const name of switches) if (state[name] !== defaults[name]) parts.set(name, state[name] ? "1" : "0");
    if (state.words) parts.set("words", state.words);
    if (state.zoom) parts.set("zoom", [...state.zoom.x, ...state.zoom.y].map((value) => Number(value.toPrecision(6))).join(","));
    return parts.toString();
  };
  /** Takes what a fragment says, as far as it makes sense here. */
  state.take = (fragment, allowed) => {
    Object.assign(state, fresh());
    const parts = new URLSearchParams(fragment);
    const decoded = (text) => {
      try { return decodeURIComponent(text); } catch { return ""; }
    };
    for (const name of sets) {
      if (!parts.has(name)) continue;
      const chosen = parts.get(name).split(",").filter(Boolean).map(decoded).filter((one) => allowed[name].has(one));
      if (chosen.length > 0 || parts.get(name) === "") state[name] = new Set(chosen);
    }
    for (const name of texts) if (parts.has(name) && allowed[name].has(parts.get(name))) state[name] = parts.get(name);
    for (const name of switches) if (parts.has(name)) state[name] = parts.get(name) === "1";
    state.words = (parts.get("words") ?? "").slice(0, 200);
    const zoom = (parts.get("zoom") ?? "").split(",").map(Number);
    if (zoom.length === 4 && zoom.every((value) => value > 0 && Number.isFinite(value)) && zoom[0] < zoom[1] && zoom[2] < zoom[3])
      state.zoom = { x: zoom.slice(0, 2), y: zoom.slice(2) };
  };
  state.change = (changes, what = "state") => {
    Object.assign(state, changes);
    for (const listener of listeners) listener(what);
  };
  state.toggle = (name, value) => {
    const set = new Set(state[name]);
    if (!set.delete(value)) set.add(value);
    state.change({ [name]: set });
  };
  state.reset = () => state.change({ ...fresh(), ghost: null, theme: state.theme });
  state.listen = (listener) => listeners.add(listener);
  return state;
}
