// The panel for people who write apps: break things on purpose and see what the app does about it.

import { el, fill } from "./dom.js";

// Faults that happen at once, that wait for the app's next call, and that stay until they are switched off.
const ONCE = ["disconnect", "cut", "again"];
const NEXT = ["limit", "lose"];
const STAY = ["slow", "away", "silent", "expire"];

export class BreakPanel {
  /** `act(request)` carries out a request; `other(user)` switches to a person, or opens a window for another one. */
  constructor(act, other) {
    this.act = act;
    this.other = other;
    this.summary = el("summary", {});
    this.body = el("div", { class: "break-body" });
    this.node = el("details", { class: "break" }, this.summary, this.body);
  }

  /** Show it to the viewer; `channel` is the one that was open last. */
  show(world, channel) {
    const { broken } = world;
    const print = JSON.stringify([world.me.id, broken, channel]);
    if (print === this.print) return;
    this.print = print;
    const focused = this.body.contains(document.activeElement) ? document.activeElement.dataset.focus : null;
    const count = STAY.filter((name) => broken[name]).length + NEXT.filter((name) => broken[name]).length;
    fill(this.summary, world.t("break"), count > 0 && el("span", { class: "break-count" }, world.t("broken", { n: count })));
    const button = (what, words, more = {}) => el("button", {
      type: "button", class: "break-one", "data-focus": what, onclick: () => this.act({ do: "break", what, channel: channel?.id }), ...more,
    }, words);
    const once = (what) => button(what, world.t(`break.${what}`));
    const next = (what) => button(what, [world.t(`break.${what}`), broken[what] > 0 && el("span", { class: "break-count" }, `×${broken[what]}`)]);
    const stay = (what) => button(what, world.t(`break.${what}`), { "aria-pressed": String(Boolean(broken[what])) });
    const place = channel && !channel.is_im && world.place(channel);
    const others = world.people().filter(({ id }) => id !== world.me.id);
    fill(this.body,
      el("p", { class: "break-about" }, world.t("break.about")),
      group(world.t("break.line"), ONCE.map(once)),
      group(world.t("break.calls"), [...NEXT.map(next), ...STAY.map(stay)]),
      channel && group(world.t("break.place", { place: world.place(channel) }), [
        place && button("archive", world.t("break.archive", { place }), { "aria-pressed": String(Boolean(channel.is_archived)) }),
        button("delete", world.t("break.delete")),
      ]),
      group(world.t("break.people"), [
        ...others.map(({ id, name }) => el("button", { type: "button", class: "break-one", "data-focus": id, onclick: () => this.other(id) }, world.t("break.be", { name }))),
        el("button", { type: "button", class: "break-one", "data-focus": "window", onclick: () => this.other(null) }, world.t("break.window")),
      ]),
      el("button", { type: "button", class: "break-one mend", "data-focus": "mend", onclick: () => this.act({ do: "break", what: "mend" }) }, world.t("break.mend")));
    if (focused) [...this.body.querySelectorAll("[data-focus]")].find((one) => one.dataset.focus === focused)?.focus();
  }
}

const group = (name, buttons) => el("div", { role: "group", "aria-label": name }, el("p", { class: "break-name", "aria-hidden": "true" }, name), buttons);
