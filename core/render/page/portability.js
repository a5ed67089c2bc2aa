// What portable code costs: the Kokkos row beside that of the vendor's library.
import { element } from "./dom.js";
import { makeTable } from "./table.js";
import { plain, quantity, times } from "./units.js";

const portable = (point) => point.implementation.startsWith("kokkos");

/** Pairs of one device, operator, types, sizes and manner. */
export function prices(data) {
  const key = (point) => JSON.stringify([point.of.key, point.operator, point.dtype, point.accumulate, point.compute, point.params, point.manner ?? "", point.scope]);
  const good = data.points.filter((point) => point.of && point.status === "ok" && point.time_s > 0 && point.implementation !== "user");
  const vendors = new Map();
  for (const vendor of good.filter((point) => !portable(point))) vendors.set(key(vendor), [...(vendors.get(key(vendor)) ?? []), vendor]);
  if (vendors.size === 0) return [];
  return good.filter(portable).flatMap((own) => (vendors.get(key(own)) ?? []).map((vendor) => ({ own, vendor, price: own.time_s / vendor.time_s })));
}

export function portabilityPanel(data) {
  const rows = prices(data);
  if (rows.length === 0) return element("p", {}, "No operator was run both by Kokkos and by a library.");
  return makeTable({ caption: "Price of portability", rows, columns: [
    { title: "Device", text: ({ own }) => own.of.short },
    { title: "Operator", text: ({ own }) => plain(own.operator, 60) },
    { title: "Type", text: ({ own }) => own.dtype },
    { title: "Sizes", text: ({ own }) => plain(own.params, 80) },
    { title: "Portable", text: ({ own }) => plain(own.implementation, 40) },
    { title: "Time", text: ({ own }) => quantity(own.time_s, "s"), value: ({ own }) => own.time_s, right: true },
    { title: "Library", text: ({ vendor }) => plain(vendor.implementation, 40) },
    { title: "Its time", text: ({ vendor }) => quantity(vendor.time_s, "s"), value: ({ vendor }) => vendor.time_s, right: true },
    { title: "Portable / library", text: ({ price }) => times(price), value: ({ price }) => price, right: true },
  ] }).element;
}
