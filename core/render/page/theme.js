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

export function colourOf(theme, device) {
  if (!theme.dark) return device.colour;
  const mixed = [1, 3, 5].map((at) => Math.round(parseInt(device.colour.slice(at, at + 2), 16) * 0.6 + 255 * 0.4));
  return `#${mixed.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}
