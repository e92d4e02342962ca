// The list of channels and direct messages, and the switch between people.

import { clock } from "./dates.js";
import { el, fill, icon } from "./dom.js";
import { avatar } from "./messages.js";
import { unread } from "./state.js";

/** The round trip to another person: shows who the viewer is, opens the list of people. */
export function switcher(world, open) {
  return el("button", { type: "button", class: "switcher", "data-focus": "switcher", "aria-haspopup": "dialog", "aria-label": `${world.t("you", { name: world.me.name })} – ${world.t("switch")}`, onclick: open },
    avatar(world.face(world.me)), el("span", { class: "switcher-name" }, world.me.name), icon("down"));
}

/** Show the sidebar; `here` is the id of the open channel, `go(id)` opens another. */
export function sidebar(node, world, { here, go, people }) {
  const focused = node.contains(document.activeElement) ? document.activeElement.dataset.focus : null;
  const entry = (channel) => {
    const waiting = unread(world, channel);
    const bot = [...world.users.values()].find((user) => user.is_bot);
    return el("li", {}, el("button", {
      type: "button", "data-focus": channel.id, "data-channel": channel.id,
      class: `entry${waiting.count ? " unread" : ""}`,
      "aria-current": channel.id === here ? "page" : null,
      onclick: () => go(channel.id),
    },
    channel.is_im ? (bot ? avatar(world.face(bot)) : el("span", { class: "hash" }, "@")) : el("span", { class: "hash", "aria-hidden": "true" }, "#"),
    el("span", { class: "entry-name" }, channel.is_im ? world.place(channel) : channel.name),
    waiting.toMe > 0 && el("span", { class: "count", "aria-hidden": "true" }, String(waiting.toMe)),
    waiting.count > 0 && el("span", { class: "quiet" }, world.t("unread", { n: waiting.count }))));
  };
  const group = (name, channels) => channels.length > 0 && el("section", {},
    el("h2", {}, world.t(name)), el("ul", {}, channels.map(entry)));
  fill(node,
    el("header", { class: "bar" }, el("h1", {}, world.t("workspace")), switcher(world, people)),
    el("div", { class: "entries" },
      group("channels", world.channels.filter((channel) => !channel.is_im)),
      group("direct", world.channels.filter((channel) => channel.is_im)),
      el("p", { class: "about" }, world.t("about"))));
  if (focused) [...node.querySelectorAll("[data-focus]")].find((item) => item.dataset.focus === focused)?.focus();
}

/** Ask who the viewer wants to be; `t` has the words, where the viewer is nobody yet those of their browser's language. */
export function askWho(dialog, world, be, t = world.t) {
  const now = Date.now() / 1000;
  const language = (locale) => new Intl.DisplayNames([locale], { type: "language" }).of(locale.split("-")[0]);
  const person = (user) => el("li", {}, el("button", {
    type: "button", class: "person", "data-user": user.id, "aria-current": user.id === world.me.id ? "true" : null,
    onclick: () => {
      be(user.id);
      dialog.close();
    },
  },
  avatar(world.face(user)),
  el("span", {}, el("strong", {}, user.name),
    el("span", { class: "description" }, `${language(user.locale)} · ${user.tz.split("/").at(-1).replace("_", " ")} ${clock(now, user)}`)),
  user.id === world.me.id && el("span", { class: "tick" }, icon("check"), el("span", { class: "quiet" }, t("youNow")))));
  dialog.setAttribute("aria-labelledby", "who");
  fill(dialog, el("div", { class: "sheet-page" },
    el("h2", { id: "who" }, t("who")),
    el("p", { class: "description" }, t("about")),
    el("ul", { class: "persons" }, world.people().map(person)),
    el("button", { type: "button", class: "button", onclick: () => dialog.close() }, t("close"))));
  if (!dialog.open) dialog.showModal();
  dialog.querySelector("[aria-current], .person")?.focus();
}

/** Ask before a button that wants it is pressed; resolves to whether it may. */
export function askSure(dialog, item, world, textOf) {
  return new Promise((resolve) => {
    let sure = false;
    const close = (yes) => {
      sure = yes;
      dialog.close();
    };
    const { confirm } = item;
    dialog.setAttribute("aria-labelledby", "sure");
    fill(dialog, el("div", { class: "sheet-page" },
      el("h2", { id: "sure" }, confirm.title?.text ?? ""),
      el("p", {}, textOf(confirm.text, world)),
      el("div", { class: "sheet-foot" },
        el("button", { type: "button", class: "button", onclick: () => close(false) }, confirm.deny?.text ?? world.t("no")),
        el("button", { type: "button", class: `button ${confirm.style === "danger" ? "danger" : "primary"}`, onclick: () => close(true) }, confirm.confirm?.text ?? world.t("yes")))));
    dialog.addEventListener("close", () => resolve(sure), { once: true });
    dialog.showModal();
  });
}
