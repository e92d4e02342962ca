// The app's own page: its tabs, and the Home tab, drawn again only when the app publishes another one, so that focus,
// scroll and typed words stay.

import { blocks } from "./blocks.js";
import { el, fill } from "./dom.js";
import { Fields, focused, refocus } from "./fields.js";

export class Home {
  /** `act` has `click(view, …)` and `ask(view, …, query)`. */
  constructor(act) {
    this.act = act;
    this.fields = new Fields();
    this.node = el("div", { class: "home", id: "home", role: "tabpanel", "aria-labelledby": "tab-home", tabindex: "0" });
  }

  show(world) {
    const view = world.home;
    const print = JSON.stringify([view?.id, view?.blocks, world.me.id]);
    if (print === this.print) return;
    const same = view !== null && view.id === this.view?.id;
    const [name, scrolled] = [focused(this.node), same ? this.node.scrollTop : 0];
    this.print = print;
    this.view = view;
    if (view === null) {
      fill(this.node, el("p", { class: "description" }, world.t("noHome")));
      return;
    }
    const form = this.fields.begin(view);
    const act = (block_id, action_id, value, button, item) =>
      this.act.click({ view, block_id, action_id, value, values: this.fields.values(), button, item });
    const ask = (block_id, action_id, query) => this.act.ask({ view, block_id, action_id, query });
    fill(this.node, blocks(view.blocks, world, { act, ask, form }));
    this.fields.end();
    if (name !== null && !refocus(this.node, name)) this.node.focus({ preventScroll: true });
    this.node.scrollTop = scrolled;
  }
}

/** A row of tabs. Pattern: https://www.w3.org/WAI/ARIA/apg/patterns/tabs/ */
export class Tabs {
  constructor(names, open) {
    this.buttons = names.map((name) => el("button", { type: "button", role: "tab", id: `tab-${name}`, onclick: () => open(name) }));
    this.names = names;
    this.node = el("div", { class: "tabs", role: "tablist", onkeydown: (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const next = (names.indexOf(this.here) + step + names.length) % names.length;
      open(names[next]);
      this.buttons[next].focus();
    } }, this.buttons);
  }

  show(here, world) {
    this.here = here;
    this.names.forEach((name, index) => {
      const button = this.buttons[index];
      button.textContent = world.t(name);
      button.setAttribute("aria-selected", String(name === here));
      button.tabIndex = name === here ? 0 : -1;
    });
  }
}
