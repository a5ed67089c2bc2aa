// The shape of a point says its regime, so that colour is never the only difference.
import { symbol, symbolCircle, symbolSquare, symbolTriangle, symbolDiamond, symbolStar, symbolCross } from "d3-shape";

export const regimes = ["memory_bound", "compute_bound", "overhead_bound", "link_bound", "below_roof", ""];
const shapes = { memory_bound: symbolCircle, compute_bound: symbolSquare, overhead_bound: symbolTriangle,
  link_bound: symbolStar, below_roof: symbolDiamond, "": symbolCross };
const sentences = { memory_bound: "memory-bound", compute_bound: "compute-bound", overhead_bound: "overhead-bound",
  link_bound: "link-bound", below_roof: "below the roof", "": "no verdict" };

export const regimeText = (regime) => sentences[regime ?? ""] ?? "";
const shapeOf = (regime) => shapes[regime ?? ""] ?? symbolCross;
const areas = { symbolCross: 40 };

/** Path of a marker around the origin, `size` in square pixels. */
export const markerPath = (regime, size = 52) => symbol(shapeOf(regime), areas[shapeOf(regime)] ?? size)();

const paths = new Map();
/** The same for a canvas. */
export function marker2d(regime, size = 52) {
  const key = `${regime ?? ""}/${size}`;
  if (!paths.has(key)) paths.set(key, new Path2D(markerPath(regime, size)));
  return paths.get(key);
}
