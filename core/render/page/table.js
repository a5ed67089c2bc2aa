// A table to sort, filter and walk through with the keyboard. Columns are {title, text(row), value(row), right, narrow}.
import { button, element, search } from "./dom.js";

const page = 100;

export function makeTable({ caption, columns, rows, onpick, onhover, picked, empty = "There is none." }) {
  const state = { sort: -1, down: false, filter: "", shown: page };
  const used = columns.filter((column) => rows.some((row) => column.text(row) !== ""));
  const found = new Map();  // what the filter looks at, once it is used
  const wordsOf = (row) => {
    if (!found.has(row)) found.set(row, used.map((column) => column.text(row)).join(" ").toLowerCase());
    return found.get(row);
  };
  const body = element("tbody");
  const count = element("p", { class: "count", role: "status" });
  const heads = used.map((column, index) => element("th", { scope: "col", class: column.right ? "figure" : null },
    button(column.title, () => sortBy(index), { class: "sort" })));
  const table = element("table", { role: onpick ? "grid" : null }, element("caption", {}, caption), element("thead", {}, element("tr", {}, heads)), body);
  const more = button("Show more rows", () => { state.shown += 4 * page; render(); }, { class: "more" });
  let visible = rows, allowed = () => true, lines = new Map();

  function sortBy(index) {
    const right = used[index].right;
    if (state.sort !== index) Object.assign(state, { sort: index, down: Boolean(right) });
    else if (state.down === Boolean(right)) state.down = !state.down;
    else Object.assign(state, { sort: -1, down: false });
    render();
  }
  const valueOf = (row, column) => (column.value ? column.value(row) : column.text(row));
  function ordered() {
    const words = state.filter.toLowerCase().split(/\s+/).filter(Boolean);
    const list = rows.filter((row) => allowed(row) && words.every((word) => wordsOf(row).includes(word)));
    if (state.sort < 0) return list;
    const column = used[state.sort], sign = state.down ? -1 : 1;
    const missing = (value) => value === undefined || value === null || value === "";
    return list.sort((a, b) => {
      const [va, vb] = [valueOf(a, column), valueOf(b, column)];
      if (missing(va) || missing(vb)) return Number(missing(va)) - Number(missing(vb));
      return sign * (typeof va === "number" && typeof vb === "number" ? va - vb : String(va).localeCompare(String(vb), "en", { numeric: true }));
    });
  }
  function line(row, index) {
    const made = element("tr", { tabindex: index === 0 ? "0" : "-1", class: onpick ? "pickable" : null },
      used.map((column) => element("td", { class: column.right ? "figure" : column.narrow ? "narrow" : null }, column.node ? column.node(row) : column.text(row))));
    if (onpick) made.addEventListener("click", (event) => onpick(row, event.shiftKey || event.ctrlKey || event.metaKey));
    if (onhover) {
      made.addEventListener("pointerenter", () => onhover(row));
      made.addEventListener("pointerleave", () => onhover(null));
      made.addEventListener("focus", () => onhover(row));
      made.addEventListener("blur", () => onhover(null));
    }
    return made;
  }
  function mark() {
    if (!picked) return;
    for (const [row, made] of lines) {
      const is = picked(row);
      made.setAttribute("aria-selected", is ? "true" : "false");
      made.classList.toggle("picked", is);
    }
  }
  function render() {
    visible = ordered();
    const part = visible.slice(0, state.shown);
    lines = new Map(part.map((row, index) => [row, line(row, index)]));
    body.replaceChildren(...lines.values());
    heads.forEach((head, index) => head.setAttribute("aria-sort", index !== state.sort ? "none" : state.down ? "descending" : "ascending"));
    count.textContent = visible.length === 0 ? empty : `${part.length} of ${rows.length} rows`;
    more.hidden = part.length === visible.length;
    table.hidden = visible.length === 0;
    mark();
  }
  body.addEventListener("keydown", (event) => {
    const row = event.target.closest("tr");
    const next = { ArrowDown: row?.nextElementSibling, ArrowUp: row?.previousElementSibling, Home: body.firstElementChild, End: body.lastElementChild }[event.key];
    if (next) {
      row.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
    } else if (onpick && row && (event.key === "Enter" || event.key === " ")) {
      onpick([...lines].find(([, made]) => made === row)[0], true);
    } else return;
    event.preventDefault();
  });
  const filter = search(`Filter ${caption.toLowerCase()}`, (words) => { state.filter = words; state.shown = page; render(); });
  const root = element("div", { class: "listing" },
    rows.length > 5 ? filter.label : "",
    element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption }, table), count, more);
  render();
  return {
    element: root,
    mark,
    /** Leaves only rows that `test` allows. */
    allow(test) { allowed = test; render(); },
  };
}
