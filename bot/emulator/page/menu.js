// A button that opens a short list of things to do. Pattern: https://www.w3.org/WAI/ARIA/apg/patterns/menu-button/

import { el, fill, unique } from "./dom.js";

const GAP = 4;

/** Build `{button, list}`; `items()` tells `[{label, more, act}]` when it opens. The list goes into the page beside its button. */
export function menu(button, items) {
  const list = el("div", { role: "menu", class: "menu", popover: "auto", id: unique("menu"), "aria-label": button.getAttribute("aria-label") });
  const rows = () => [...list.children];
  const focus = (index) => rows().at(index % rows().length)?.focus();
  const close = () => {
    list.hidePopover();
    button.focus();
  };
  const row = ({ label, more, act }) => el("button", {
    type: "button", role: "menuitem", class: "menu-item", tabindex: "-1",
    onclick: () => {
      close();
      act();
    },
  }, label, more && el("span", { class: "description" }, more));
  button.setAttribute("aria-haspopup", "menu");
  button.setAttribute("aria-expanded", "false");
  button.addEventListener("click", () => {
    if (list.matches(":popover-open")) return close();
    fill(list, items().map(row));
    list.showPopover();
    place(button, list);
    focus(0);
    return undefined;
  });
  list.addEventListener("toggle", ({ newState }) => button.setAttribute("aria-expanded", String(newState === "open")));
  list.addEventListener("keydown", (event) => {
    const at = rows().indexOf(document.activeElement);
    if (event.key === "ArrowDown") focus(at + 1);
    else if (event.key === "ArrowUp") focus(at - 1);
    else if (event.key === "Home") focus(0);
    else if (event.key === "End") focus(-1);
    else if (event.key === "Escape" || event.key === "Tab") close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  return { button, list };
}

/** Put a list below its button, or above where there is no room, within the window. */
function place(button, list) {
  const at = button.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = list;
  const below = at.bottom + GAP + height <= innerHeight;
  list.style.top = `${below ? at.bottom + GAP : Math.max(GAP, at.top - GAP - height)}px`;
  list.style.left = `${Math.max(GAP, Math.min(at.left, innerWidth - width - GAP))}px`;
}
