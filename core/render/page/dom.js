// Elements, made of names and texts: no markup is ever parsed, so no name can become one.

export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (key === "class") made.className = value;
    else if (value === true) made.setAttribute(key, "");
    else made.setAttribute(key, value);
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== ""));
  return made;
}

export const button = (text, onclick, attributes = {}) => element("button", { type: "button", onclick, ...attributes }, text);

let next = 0;
export const freshId = (word) => `${word}-${(next += 1)}`;

/** A box to tick with its label; `sync` sets it from the state. */
export function checkbox(text, onchange, swatch) {
  const box = element("input", { type: "checkbox", onchange: () => onchange(box.checked) });
  const label = element("label", { class: "box" }, box, swatch ?? "", element("span", {}, text));
  return { label, box };
}

/** A field to search in, with its label. */
export function search(text, oninput) {
  const id = freshId("filter");
  const field = element("input", { type: "search", id, maxlength: "200", autocomplete: "off", oninput: () => oninput(field.value) });
  return { field, label: element("span", { class: "filter" }, element("label", { for: id }, text), field) };
}

export function select(text, options, onchange) {
  const id = freshId("choice");
  const field = element("select", { id, onchange: () => onchange(field.value) },
    options.map(([value, name]) => element("option", { value }, name)));
  return { field, label: element("span", { class: "choice" }, element("label", { for: id }, text), field) };
}
