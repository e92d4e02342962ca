// The field where messages and slash commands are typed, and the menu of the app's shortcuts.

import { el, fill, icon } from "./dom.js";
import { menu } from "./menu.js";

export class Composer {
  /**
   * `id` names the field, `say(text)` sends; it resolves to the server's answer, and a failed text comes back into
   * the field. `shortcut(callback_id)` is what the menu does; without it this is a thread's field: no commands there.
   */
  constructor({ id, say, shortcut = null }) {
    this.id = id;
    this.say = say;
    this.inThread = shortcut === null;
    this.drafts = new Map();
    this.place = null;
    this.options = [];
    this.picked = -1;
    this.field = el("textarea", {
      id, rows: 1, autocomplete: "off", autocapitalize: "off", enterkeyhint: "send",
      "aria-autocomplete": "list", "aria-haspopup": "listbox", "aria-controls": `${id}-options`, "aria-describedby": `${id}-usage`,
      oninput: () => this.typed(), onkeydown: (event) => this.keys(event), onblur: () => setTimeout(() => this.suggest([]), 150),
    });
    this.list = el("ul", { id: `${id}-options`, role: "listbox", class: "options", hidden: true });
    this.usage = el("p", { id: `${id}-usage`, class: "usage", hidden: true });
    this.slash = el("button", { type: "button", class: "icon-button slash", onclick: () => this.start("/") }, icon("slash"));
    this.slash.hidden = this.inThread;
    this.shortcuts = el("button", { type: "button", class: "icon-button slash", hidden: true }, icon("bolt"));
    const { list } = menu(this.shortcuts, () => this.world.shortcuts.map(({ callback_id, name, description }) => ({
      label: name, more: description, act: () => shortcut(callback_id, this.shortcuts),
    })));
    this.button = el("button", { type: "submit", class: this.inThread ? "icon-button post" : "icon-button send" }, icon("send"));
    this.node = el("form", { class: this.inThread ? "composer in-thread" : "composer", onsubmit: (event) => { event.preventDefault(); this.send(); } },
      this.list, this.usage, el("div", { class: "box" }, this.shortcuts, list, this.slash, this.field, this.button));
  }

  /** Show it for a place; `words` is what the field is for. */
  show(world, place, words) {
    this.world = world;
    this.field.disabled = false;
    this.field.placeholder = words;
    this.field.setAttribute("aria-label", words);
    this.slash.setAttribute("aria-label", world.t("commands"));
    this.shortcuts.setAttribute("aria-label", world.t("shortcuts"));
    this.shortcuts.hidden = this.inThread || world.shortcuts.length === 0;
    this.button.setAttribute("aria-label", world.t("send"));
    this.list.setAttribute("aria-label", world.t("commands"));
    if (place === this.place) {
      this.fit();
      return;
    }
    this.drafts.set(this.place, this.field.value);
    this.place = place;
    this.field.value = this.drafts.get(place) ?? "";
    this.typed();
  }

  /** Take nothing until the next `show`: it would be another person's. */
  stop() {
    this.field.disabled = true;
  }

  /** Begin a text for the person: put it in the field and the caret behind it. */
  start(text) {
    this.field.value = text;
    this.field.focus();
    this.typed();
  }

  typed() {
    const text = this.field.value;
    this.fit();
    this.button.classList.toggle("ready", text.trim() !== "");
    const commands = this.inThread ? [] : this.world?.commands ?? [];
    this.suggest(/^\/\S*$/.test(text) ? commands.filter(({ command }) => command.startsWith(text) && command !== text) : []);
    const known = commands.find(({ command }) => text === command || text.startsWith(`${command} `));
    this.usage.hidden = !known;
    fill(this.usage, known ? [el("strong", {}, known.command), ` ${known.usage_hint ?? ""}`, el("span", {}, known.description ?? "")] : []);
  }

  /** Be as high as what is typed; while out of sight it has no height to measure. */
  fit() {
    this.field.style.height = "auto";
    const needed = this.field.scrollHeight;
    if (needed > 0) this.field.style.height = `${Math.min(needed, 160)}px`;
  }

  suggest(options) {
    this.options = options;
    this.picked = options.length ? 0 : -1;
    fill(this.list, options.map(({ command, usage_hint: hint, description }, index) =>
      el("li", { role: "option", id: `${this.id}-option-${index}`, onmousedown: (event) => { event.preventDefault(); this.choose(index); } },
        el("strong", {}, command), ` ${hint ?? ""}`, el("span", {}, description ?? ""))));
    this.list.hidden = options.length === 0;
    this.pick(this.picked);
  }

  pick(index) {
    this.picked = index;
    [...this.list.children].forEach((option, at) => option.setAttribute("aria-selected", String(at === index)));
    if (index < 0) this.field.removeAttribute("aria-activedescendant");
    else this.field.setAttribute("aria-activedescendant", `${this.id}-option-${index}`);
  }

  choose(index) {
    this.start(`${this.options[index].command} `);
  }

  keys(event) {
    // A Japanese input method confirms its candidates with Enter; that Enter isn't ours.
    if (event.isComposing || event.keyCode === 229) return;
    const count = this.options.length;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (count && step) this.pick((this.picked + step + count) % count);
    else if (count && (event.key === "Tab" || event.key === "Enter") && !event.shiftKey) this.choose(this.picked);
    else if (count && event.key === "Escape") this.suggest([]);
    else if (event.key === "Enter" && !event.shiftKey) this.send();
    else return;
    event.preventDefault();
  }

  async send() {
    const text = this.field.value.trim();
    if (!text || this.busy) return;
    const place = this.place;
    this.busy = true;
    this.start("");
    const answer = await this.say(text);
    this.busy = false;
    if (answer.ok) return;
    if (this.place === place && this.field.value === "") this.start(text);
    else if (!this.drafts.get(place)) this.drafts.set(place, text);
  }
}
