// A menu one types in: lists that the app serves while someone types, people, channels, and several choices at once.
// Pattern: https://www.w3.org/WAI/ARIA/apg/patterns/combobox/

import { el, fill, icon, unique } from "./dom.js";

// What each kind keeps: the key of its value, the key of its first value, whether several can be chosen, and what it lists.
const KINDS = {
  external_select: { key: "selected_option", first: "initial_option", list: "app" },
  multi_external_select: { key: "selected_options", first: "initial_options", many: true, list: "app" },
  multi_static_select: { key: "selected_options", first: "initial_options", many: true, list: "options" },
  users_select: { key: "selected_user", first: "initial_user", list: "users" },
  multi_users_select: { key: "selected_users", first: "initial_users", many: true, list: "users" },
  channels_select: { key: "selected_channel", first: "initial_channel", list: "channels" },
  multi_channels_select: { key: "selected_channels", first: "initial_channels", many: true, list: "channels" },
  conversations_select: { key: "selected_conversation", first: "initial_conversation", list: "conversations" },
  multi_conversations_select: { key: "selected_conversations", first: "initial_conversations", many: true, list: "conversations" },
};
const SHORTEST_QUERY = 3;
const PAUSE = 150;

export const isPicker = (type) => type in KINDS;

const ofOption = (option) => ({ id: option.value, label: option.text.text, more: option.description?.text, raw: option });

export class Picker {
  /** `ask(query)` resolves to the server's answer with `groups`; `changed(value)` is told each new value. */
  constructor(element, { kept, describedBy, changed, world, ask }) {
    this.element = element;
    this.kind = KINDS[element.type];
    this.world = world;
    this.ask = ask;
    this.changed = changed;
    this.isGroup = false;
    this.id = unique("field");
    this.shown = [];
    this.picked = -1;
    this.asked = 0;
    this.field = el("input", {
      id: this.id, class: "field", type: "text", role: "combobox", autocomplete: "off", spellcheck: "false",
      placeholder: element.placeholder?.text ?? world.t("choose"), "data-focus": element.action_id,
      "aria-expanded": "false", "aria-controls": `${this.id}-list`, "aria-autocomplete": "list", "aria-describedby": describedBy.join(" ") || null,
      oninput: () => this.typed(), onkeydown: (event) => this.keys(event), onclick: () => this.open(), onfocus: () => this.field.select(),
      onblur: () => this.shut(),
    });
    this.list = el("div", { id: `${this.id}-list`, role: "listbox", class: "listed", "aria-label": world.t("options"), hidden: true });
    this.note = el("p", { class: "description", role: "status" });
    this.chips = el("div", { class: "chips" });
    this.node = el("div", { class: "picker" }, this.chips, el("div", { class: "select" }, this.field), this.note, this.list);
    this.chosen = this.entries(kept ? kept[this.kind.key] : element[this.kind.first]);
    this.show();
  }

  entries(value) {
    const named = new Map(this.known().map((entry) => [entry.id, entry]));
    return [value].flat().filter(Boolean).map((one) => (typeof one === "string" ? named.get(one) ?? { id: one, label: one, raw: one } : ofOption(one)));
  }

  /** What can be listed without asking the app. */
  known() {
    const people = () => this.world.people().map(({ id, name }) => ({ id, label: name, raw: id }));
    const channels = () => this.world.channels.filter((channel) => !channel.is_im).map(({ id, name }) => ({ id, label: `#${name}`, raw: id }));
    const { list } = this.kind;
    if (list === "users") return people();
    if (list === "channels") return channels();
    if (list === "conversations") return [...channels(), ...people()];
    if (list === "options") return (this.element.options ?? (this.element.option_groups ?? []).flatMap(({ options }) => options)).map(ofOption);
    return [];
  }

  value() {
    const raw = this.chosen.map((entry) => entry.raw);
    return { type: this.element.type, [this.kind.key]: this.kind.many ? raw : raw[0] ?? null };
  }

  /** Take back a value, when the person changed their mind about a choice. */
  set(value) {
    this.chosen = this.entries(value?.[this.kind.key]);
    this.show();
  }

  show() {
    if (!this.kind.many) this.field.value = this.chosen[0]?.label ?? "";
    fill(this.chips, this.kind.many && this.chosen.map((entry) => el("span", { class: "chip" }, entry.label,
      el("button", { type: "button", "aria-label": this.world.t("remove", { name: entry.label }), onclick: () => this.toggle(entry) }, icon("close")))));
  }

  toggle(entry) {
    const before = this.value();
    const has = this.chosen.some(({ id }) => id === entry.id);
    if (!this.kind.many) this.chosen = [entry];
    else if (has) this.chosen = this.chosen.filter(({ id }) => id !== entry.id);
    else if (this.chosen.length < (this.element.max_selected_items ?? Infinity)) this.chosen = [...this.chosen, entry];
    else return;
    if (this.kind.many) this.field.value = "";
    this.show();
    this.changed(this.value(), before);
  }

  typed() {
    clearTimeout(this.soon);
    this.soon = setTimeout(() => this.find(this.field.value), this.kind.list === "app" ? PAUSE : 0);
  }

  /** List everything there is for the moment: what stands in the field is the choice, nothing one looks for. */
  open() {
    if (this.list.hidden) this.find(this.kind.many ? this.field.value : "");
  }

  async find(query) {
    this.asked += 1;
    const asked = this.asked;
    const least = this.kind.list === "app" ? this.element.min_query_length ?? SHORTEST_QUERY : 0;
    if (query.length < least) {
      this.offer([], this.world.t("type", { n: least }));
      return;
    }
    if (this.kind.list !== "app") {
      const words = query.toLowerCase();
      const found = this.known().filter(({ label }) => label.toLowerCase().includes(words));
      this.offer([{ label: null, entries: found }], found.length ? "" : this.world.t("nothing"));
      return;
    }
    this.note.textContent = this.world.t("loading");
    const answer = await this.ask(query);
    if (asked !== this.asked) return;
    const groups = (answer.groups ?? []).map(({ label, options }) => ({ label: label?.text, entries: options.map(ofOption) }));
    const some = groups.some(({ entries }) => entries.length);
    this.offer(groups, answer.ok ? (some ? "" : this.world.t("nothing")) : this.world.t("noOptions"));
  }

  offer(groups, note) {
    this.note.textContent = note;
    this.shown = groups.flatMap(({ entries }) => entries);
    const chosen = new Set(this.chosen.map(({ id }) => id));
    let number = -1;
    const row = (entry) => {
      number += 1;
      return el("div", {
        role: "option", id: `${this.id}-${number}`, class: "listed-one", "aria-selected": String(chosen.has(entry.id)),
        onmousedown: (event) => event.preventDefault(), onclick: () => this.take(entry),
      }, entry.label, entry.more && el("span", { class: "description" }, entry.more));
    };
    fill(this.list, groups.map(({ label, entries }) => (label
      ? el("div", { role: "group", "aria-label": label }, el("p", { class: "listed-group", "aria-hidden": "true" }, label), entries.map(row))
      : entries.map(row))));
    this.list.hidden = this.shown.length === 0;
    this.field.setAttribute("aria-expanded", String(!this.list.hidden));
    this.pick(this.shown.length ? Math.max(0, this.shown.findIndex(({ id }) => chosen.has(id))) : -1);
  }

  pick(index) {
    this.picked = index;
    const rows = [...this.list.querySelectorAll("[role=option]")];
    rows.forEach((row, at) => row.classList.toggle("here", at === index));
    if (index < 0) this.field.removeAttribute("aria-activedescendant");
    else this.field.setAttribute("aria-activedescendant", `${this.id}-${index}`);
    rows[index]?.scrollIntoView({ block: "nearest" });
  }

  take(entry) {
    this.toggle(entry);
    this.shut();
  }

  /** Hide the list; words that were typed and chose nothing go, and an emptied field means nothing chosen. */
  shut() {
    clearTimeout(this.soon);
    this.asked += 1;
    this.list.hidden = true;
    this.note.textContent = "";
    this.field.setAttribute("aria-expanded", "false");
    this.field.removeAttribute("aria-activedescendant");
    if (!this.kind.many && this.field.value === "" && this.chosen.length) {
      const before = this.value();
      this.chosen = [];
      this.changed(this.value(), before);
    }
    if (this.kind.many) this.field.value = "";
    else this.show();
  }

  keys(event) {
    if (event.isComposing) return;
    const open = !this.list.hidden;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && !open) this.open();
    else if (step) this.pick((this.picked + step + this.shown.length) % this.shown.length);
    else if (open && event.key === "Enter") this.take(this.shown[this.picked]);
    else if (open && event.key === "Escape") this.shut();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
