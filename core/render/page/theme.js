// Colours of the chart. Devices have those of the static pictures, made lighter on dark ground; text is always ink, so that
// its contrast does not depend on a device.

const light = { ink: "#222222", pale: "#5f5f5f", ground: "#ffffff", grid: "#e4e4e4", edge: "#888888", dark: false };
const dark = { ink: "#ececec", pale: "#b3b3b3", ground: "#16181b", grid: "#2e3237", edge: "#8d949c", dark: true };

let onPaper = false;
/** While a page is printed its ground is white, whatever is chosen. */
export function setPrinting(now) { onPaper = now; }

export function isDark(choice) {
  return !onPaper && (choice === "dark" || (choice === "auto" && window.matchMedia("(prefers-color-scheme: dark)").matches));
}
export const themeOf = (choice) => (isDark(choice) ? dark : light);
export const paper = light;

/** Devices from the seventh on are drawn hollow as well: their colours are nearer to those before, and after ten they begin again. */
export const isHollow = (device) => device.index >= 6;

export function colourOf(theme, { colour }) {
  if (!theme.dark) return colour;
  const mixed = [1, 3, 5].map((at) => Math.round(parseInt(colour.slice(at, at + 2), 16) * 0.6 + 255 * 0.4));
  return `#${mixed.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}

// Okabe and Ito's, as devices have.
const palette = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9", "#8a5fbf", "#7f7f7f", "#a0522d", "#4d4d4d"];

/** What points are coloured by, and each colour with its words: none by device, whose colours stand beside the devices. */
export const colourings = {
  device: { words: "device", of: (point) => point.of, key: () => [] },
  type: { words: "type", of: (point, data) => ({ colour: palette[data.types.indexOf(point.dtype) % palette.length] ?? palette[9] }),
    key: (data) => data.types.map((type, index) => [type, palette[index % palette.length]]) },
  origin: { words: "own or Gable's", of: (point) => ({ colour: palette[point.own ? 1 : 7] }), key: () => [["own", palette[1]], ["Gable's", palette[7]]] },
};
