// Messages of a channel or of a thread.

import { blocks } from "./blocks.js";
import { clock, dayKey, dayName, moment } from "./dates.js";
import { el, icon, reconcile } from "./dom.js";
import { fileCard } from "./files.js";
import { mrkdwn } from "./mrkdwn.js";

const seconds = (ts) => Number.parseFloat(ts);

/** A coloured square with a person's first letters, or the app's seal; drawn, so that it is no text to be read. */
export function avatar(author) {
  if (author.app) return el("span", { class: "avatar app", "aria-hidden": "true", "data-letters": "稟" });
  const letters = author.name.split(/\s+/).map((word) => word[0]).join("").slice(0, 2);
  return el("span", { class: `avatar tone-${author.tone}`, "aria-hidden": "true", "data-letters": letters });
}

export class MessageList {
  /** `act.click({channel, message, block_id, action_id, value, button, item})`, `act.ask(…, query)`, `act.read(file)`, and in a channel `act.openThread(message)`. */
  constructor(act) {
    this.act = act;
    this.list = el("ol", { class: "messages" });
    this.jump = el("button", { type: "button", class: "jump", hidden: true, onclick: () => this.toEnd() });
    this.intro = el("div", { class: "intro" });
    this.log = el("div", { class: "log", tabindex: "0", role: "group" }, this.intro, this.list);
    this.node = el("div", { class: "log-frame" }, this.log, this.jump);
    this.log.addEventListener("scroll", () => this.atEnd() && (this.jump.hidden = true));
    this.pinned = true;
    new ResizeObserver(() => this.pinned && this.toEnd()).observe(this.log);
    this.log.addEventListener("scroll", () => (this.pinned = this.atEnd()), { passive: true });
  }

  atEnd() {
    return this.log.scrollHeight - this.log.scrollTop - this.log.clientHeight < 60;
  }

  toEnd() {
    this.log.scrollTop = this.log.scrollHeight;
    this.jump.hidden = true;
    this.pinned = true;
  }

  /**
   * Show messages. `place` names the list (another name: another list, shown from its end), `since` is the time
   * stamp up to which the viewer had read it, `summary(message)` tells of replies. Returns what is new.
   */
  show(messages, world, { place, label, channel, since = null, summary = () => null }) {
    const moved = this.place !== place;
    if (moved) this.list.replaceChildren();
    const stay = this.atEnd() || this.pinned;
    this.place = place;
    this.log.setAttribute("aria-label", label);
    const added = new Set(reconcile(this.list, this.items(messages, world, { channel, since, summary })));
    const fresh = messages.filter((message) => added.has(keyOf(message)));
    const own = fresh.some((message) => message.user === world.me.id || message.ephemeral);
    if (moved || stay || own) this.toEnd();
    else if (fresh.length) this.jump.hidden = false;
    this.jump.replaceChildren(world.t("latest"), icon("arrow"));
    return moved ? [] : fresh;
  }

  items(messages, world, { channel, since, summary }) {
    const viewer = `${world.me.id} ${world.me.locale} ${world.me.tz}`;
    const items = [];
    let day = null;
    let marked = since === null || since === "";
    for (const message of messages) {
      const today = dayKey(seconds(message.ts), world.me);
      if (today !== day) {
        const name = dayName(seconds(message.ts), world.me);
        items.push({ key: `day ${today}`, print: viewer + name, build: () => el("li", { class: "day" }, el("span", {}, name)) });
      }
      day = today;
      if (!marked && message.ts > since && message.user !== world.me.id) {
        items.push({ key: "new", print: viewer, build: () => el("li", { class: "fresh" }, el("span", {}, world.t("fresh"))) });
        marked = true;
      }
      const replies = summary(message);
      items.push({
        key: keyOf(message),
        print: JSON.stringify([viewer, message, replies]),
        build: () => this.message(message, world, { channel, replies }),
      });
    }
    return items;
  }

  message(message, world, { channel, replies }) {
    const author = world.author(message);
    const act = (block_id, action_id, value, button, item) =>
      this.act.click({ channel, message, block_id, action_id, value, button, item });
    const ask = (block_id, action_id, query) => this.act.ask({ channel, message, block_id, action_id, query });
    const content = message.blocks?.length
      ? blocks(message.blocks, world, { act, ask })
      : message.text && el("p", { class: "block text" }, mrkdwn(message.text, world));
    const at = seconds(message.ts);
    return el("li", { class: message.ephemeral ? "message private" : "message", "data-ts": message.ts },
      avatar(author),
      el("div", { class: "body" },
        message.ephemeral && el("p", { class: "only-you" }, icon("eye"), world.t("onlyYou")),
        el("p", { class: "who" }, el("span", { class: "name" }, author.name), author.app && el("span", { class: "badge" }, world.t("app")),
          el("time", { title: moment(at, world.me) }, clock(at, world.me)),
          this.act.openThread && !message.ephemeral && !replies && el("button", {
            type: "button", class: "icon-button start-thread", "data-focus": "reply", "aria-label": world.t("startThread"),
            title: world.t("startThread"), onclick: () => this.act.openThread(message),
          }, icon("reply"))),
        el("div", { class: "blocks" }, content),
        (message.files ?? []).map((file) => fileCard(file, world, this.act.read)),
        replies && this.replies(message, world, replies)));
  }

  replies(message, world, replies) {
    const words = world.t(replies.count === 1 ? "reply" : "replies", { n: replies.count });
    return el("button", { type: "button", class: "replies", "data-focus": "replies", onclick: () => this.act.openThread(message) },
      replies.authors.map((author) => avatar(author)),
      el("strong", {}, words), el("span", {}, world.t("last", { time: clock(seconds(replies.last), world.me) })),
      el("span", { class: "quiet" }, world.t("open")));
  }
}

const keyOf = (message) => `${message.ephemeral ? "e" : "m"} ${message.ts}`;

/** What the replies of a message come to, or null when there are none. */
export function summaryOf(world, channel, message) {
  const replies = world.replies(channel, message.ts);
  if (!replies.length) return null;
  const authors = new Map(replies.map((reply) => [reply.user, world.author(reply)]));
  return { count: replies.length, last: replies.at(-1).ts, authors: [...authors.values()].slice(0, 3) };
}
