// Elements from data. Nothing here parses markup: strings become text nodes, so no text can become an element.

/** Build an element: `on…` are listeners, `class` is the class, everything else an attribute. */
export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "class") node.className = value;
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** Replace what an element holds. */
export function fill(node, ...children) {
  node.replaceChildren(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

let count = 0;

/** Return an id that no other element of the page has. */
export const unique = (prefix) => `${prefix}-${(count += 1)}`;

const SHAPES = {
  more: "M5 12h.01M12 12h.01M19 12h.01",
  back: "M15 5l-7 7 7 7",
  close: "M6 6l12 12M18 6L6 18",
  send: "M4 4l17 8-17 8 3-8zM7 12h13",
  slash: "M15 4L9 20",
  bolt: "M13 3L5 14h6l-1 7 8-11h-6z",
  reply: "M4 5h16v11h-8l-5 4v-4H4z",
  down: "M6 9l6 6 6-6",
  arrow: "M12 5v14M6 13l6 6 6-6",
  eye: "M2 12s4-6.5 10-6.5S22 12 22 12s-4 6.5-10 6.5S2 12 2 12zM12 9.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6z",
  download: "M12 4v11M7 10.5l5 5 5-5M5 20h14",
  check: "M5 12.5l4.5 4.5L19 7.5",
};

/** Draw one of our icons; it says nothing to a screen reader, so its button needs a name. */
export function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", SHAPES[name]);
  svg.append(path);
  return svg;
}

/**
 * Bring a list's children to `items`, touching only what changed, so that focus, scroll and typed text stay.
 * Each item: `{key, print, build}`; a child is built again when its print differs.
 */
export function reconcile(list, items) {
  const known = new Map([...list.children].map((child) => [child.dataset.key, child]));
  const added = [];
  let before = list.firstElementChild;
  for (const { key, print, build } of items) {
    let node = known.get(key);
    known.delete(key);
    if (node === undefined || node.print !== print) {
      const fresh = build();
      fresh.dataset.key = key;
      fresh.print = print;
      if (node === undefined) added.push(key);
      else {
        const focused = focusPath(node);
        if (before === node) before = fresh;
        node.replaceWith(fresh);
        restoreFocus(fresh, focused);
      }
      node = fresh;
    }
    if (node === before) before = node.nextElementSibling;
    else list.insertBefore(node, before);
  }
  for (const gone of known.values()) gone.remove();
  return added;
}

function focusPath(node) {
  const active = document.activeElement;
  return node.contains(active) ? active.dataset.focus ?? "" : null;
}

function restoreFocus(node, path) {
  if (path === null) return;
  const same = [...node.querySelectorAll("[data-focus]")].find((item) => item.dataset.focus === path);
  const target = same ?? node;
  if (target === node) node.tabIndex = -1;
  target.focus({ preventScroll: true });
}
