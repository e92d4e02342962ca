// Puts the page together: what the server says goes in, what the person does goes out.

import { blocks } from "./blocks.js";
import { Composer } from "./composer.js";
import { el, fill, icon } from "./dom.js";
import { readFile } from "./files.js";
import { MessageList, summaryOf } from "./messages.js";
import { Modal } from "./modal.js";
import { textOf } from "./mrkdwn.js";
import { askSure, askWho, sidebar, switcher } from "./sidebar.js";
import { Socket } from "./socket.js";
import { markRead, readUpTo, World } from "./state.js";

const at = (id) => document.getElementById(id);
const wide = matchMedia("(min-width: 760px)");
let world = null;
let led = false; // by a link, so that the message it names is shown in its place
let asked = null; // the app hears that its direct messages were opened, and may fill its Home tab
let seen = { place: null, since: null };

const socket = new Socket({
  onState: (snapshot) => {
    const next = new World(snapshot);
    if (settle(next)) return;
    world = next;
    show();
  },
  onLost: (tries) => {
    at("offline").hidden = false;
    at("offline").textContent = (world ?? new World({})).t(tries > 4 ? "ended" : "offline");
  },
  onBack: () => {
    at("offline").hidden = true;
    welcomed = false;
  },
});

// -- who ------------------------------------------------------------------------------------------------

let welcomed = false;

const chosen = () => sessionStorage.getItem("me");

/** Once per connection: be again who this tab was (true: wait for that), or ask. */
function settle(next) {
  if (welcomed) return chosen() !== null && chosen() !== next.me.id;
  welcomed = true;
  if (next.user(chosen())) {
    if (chosen() === next.me.id) return false;
    be(chosen());
    return true;
  }
  sessionStorage.removeItem("me");
  askWho(at("people"), next, be);
  at("people").addEventListener("close", () => chosen() ?? be(next.me.id), { once: true });
  return false;
}

function be(user) {
  sessionStorage.setItem("me", user);
  return socket.ask({ do: "be", user }).then((answer) => tell(answer, "silentClick"));
}

// -- where ----------------------------------------------------------------------------------------------

/** Where the page is: `#C0NOTES`, `#C0NOTES/<ts>` for a message or its thread, `#D0…/home`; on a phone `#` is the list. */
function route() {
  const [id, rest] = decodeURIComponent(location.hash.slice(1)).split("/");
  const channel = world.channel(id);
  if (channel) {
    const message = world.messages(id).find(({ ts }) => ts === rest);
    const root = message?.thread_ts ?? message?.ts;
    return { channel, thread: root && world.replies(id, root).length ? root : null, home: rest === "home", at: message?.ts };
  }
  const first = world.channels.find((one) => one.is_member && one.name !== "general") ?? world.channels[0];
  return { channel: wide.matches ? first : null, thread: null, home: false };
}

const go = (...parts) => {
  location.hash = parts.join("/");
};

function up() {
  const { channel, thread } = route();
  if (thread) go(channel.id);
  else go("");
}

// -- what is shown ----------------------------------------------------------------------------------------

const openPeople = () => askWho(at("people"), world, be);
const read = (file) => readFile(at("reading"), file, world);
const lists = {
  channel: new MessageList({ click, ask, read, openThread: (message) => go(route().channel.id, message.ts) }),
  thread: new MessageList({ click, ask, read, openThread: () => {} }),
};
const composer = new Composer((text) => socket.ask({ do: "say", channel: route().channel.id, text }).then((answer) => tell(answer, "silent")));
const modal = new Modal(at("modal"), {
  submit: (view, values) => socket.ask({ do: "submit", view_id: view.id, values }),
  close: (view, everything) => socket.ask({ do: "close", view_id: view.id, everything }).then((answer) => tell(answer, "silentClick")),
  ask: ({ view, block_id, action_id, query }) => socket.ask({ do: "suggest", view_id: view.id, block_id, action_id, query }),
  click: ({ view, block_id, action_id, value, values, button, item }) =>
    press(button, item, { do: "click", view_id: view.id, block_id, action_id, value, values }),
});

function show() {
  if (!world) return;
  const { channel, thread, home } = route();
  document.documentElement.lang = world.me.locale;
  document.body.dataset.pane = thread ? "thread" : channel ? "channel" : "list";
  at("skip").textContent = world.t("skip");
  if (channel) showChannel(channel, home);
  showThread(channel, thread);
  sidebar(at("sidebar"), world, { here: channel?.id, go, people: openPeople });
  if (chosen()) modal.show(world);
  document.title = `${channel ? world.place(channel) : world.t("workspace")} – ${world.t("workspace")}`;
}

function bar(node, { title, under, back, end }) {
  const focused = node.contains(document.activeElement) ? document.activeElement.dataset.focus : null;
  fill(node,
    el("button", { type: "button", class: "icon-button back", "data-focus": "back", "aria-label": world.t("back"), onclick: back }, icon("back")),
    el("div", { class: "bar-title" }, el("h1", {}, title), under && el("p", {}, under)),
    end);
  if (focused) node.querySelector(`[data-focus="${focused}"]`)?.focus();
}

const head = { channel: el("header", { class: "bar" }), thread: el("header", { class: "bar" }), tabs: el("div", { class: "tabs", role: "tablist" }), home: el("div", { class: "home", tabindex: "0" }) };
fill(at("channel"), head.channel, head.tabs, head.home, lists.channel.node, composer.node);
fill(at("thread"), head.thread, lists.thread.node);

function showChannel(channel, home) {
  const name = world.place(channel);
  bar(head.channel, { title: channel.is_im ? name : `# ${channel.name}`, under: channel.topic, back: up, end: switcher(world, openPeople) });
  const place = `${world.me.id} ${channel.id}`;
  if (seen.place !== place) seen = { place, since: readUpTo(world, channel.id) };
  const roots = world.roots(channel.id);
  const fresh = lists.channel.show(roots, world, {
    place, label: name, channel: channel.id, since: seen.since, summary: (message) => summaryOf(world, channel.id, message),
  });
  introduce(channel, roots.length === 0);
  for (const message of fresh) if (message.user !== world.me.id) speak(world.t("posted", { name: world.author(message).name, text: message.text ?? "" }));
  composer.show(world, place, name);
  if (document.visibilityState === "visible") markRead(world, channel.id);
  if (channel.is_im && asked !== place) {
    asked = place;
    socket.ask({ do: "home" });
  }
  const tabbed = channel.is_im && world.home !== null;
  head.tabs.hidden = !tabbed;
  head.home.hidden = !(tabbed && home);
  lists.channel.node.hidden = composer.node.hidden = tabbed && home;
  if (!tabbed) return;
  const tab = (key, on, parts) => el("button", { type: "button", role: "tab", "aria-selected": String(on), onclick: () => go(...parts) }, world.t(key));
  fill(head.tabs, tab("home", home, [channel.id, "home"]), tab("messages", !home, [channel.id]));
  const act = (block_id, action_id, value, button, item) =>
    press(button, item, { do: "click", view_id: world.home.id, block_id, action_id, value });
  const query = (block_id, action_id, words) => socket.ask({ do: "suggest", view_id: world.home.id, block_id, action_id, query: words });
  fill(head.home, blocks(world.home.blocks, world, { act, ask: query }));
}

function introduce(channel, empty) {
  fill(lists.channel.intro, empty && [
    el("p", { class: "begin" }, world.t("begin", { place: world.place(channel) })),
    world.commands.length > 0 && el("p", { class: "description" }, world.t("try")),
    el("div", { class: "tries" }, world.commands.map(({ command, usage_hint: hint, description }) =>
      el("button", { type: "button", class: "try", onclick: () => composer.start(`${command} `) },
        el("span", {}, el("strong", {}, command), ` ${hint ?? ""}`), el("span", { class: "description" }, description ?? "")))),
  ]);
}

function showThread(channel, ts) {
  const root = channel && ts && world.messages(channel.id).find((message) => message.ts === ts);
  at("thread").hidden = !root;
  document.body.classList.toggle("with-thread", Boolean(root));
  if (!root) return;
  bar(head.thread, {
    title: world.t("thread"), under: world.place(channel), back: up,
    end: el("button", { type: "button", class: "icon-button shut", "data-focus": "shut", "aria-label": world.t("close"), onclick: up }, icon("close")),
  });
  lists.thread.show([root, ...world.replies(channel.id, ts)], world, {
    place: `${world.me.id} ${channel.id} ${ts}`, label: world.t("thread"), channel: channel.id,
  });
}

// -- what the person does -----------------------------------------------------------------------------------

function click({ channel, message, block_id, action_id, value, button, item }) {
  return press(button, item, { do: "click", channel, ts: message.ts, block_id, action_id, value });
}

function ask({ channel, message, block_id, action_id, query }) {
  return socket.ask({ do: "suggest", channel, ts: message.ts, block_id, action_id, query });
}

/**
 * Press a button or choose an option: ask first if it wants that, show that it is under way, tell if nothing came.
 * Resolves to null if the person took it back.
 */
async function press(button, item, request) {
  if (button.classList.contains("busy") && item?.type === "button") return undefined;
  if (item?.confirm && !(await askSure(at("confirm"), item, world, textOf))) return null;
  button.classList.add("busy");
  button.setAttribute("aria-busy", "true");
  const answer = await socket.ask(request);
  button.classList.remove("busy");
  button.removeAttribute("aria-busy");
  return tell(answer, "silentClick");
}

const SILENT = /did not respond|^(?:offline|operation_timeout)$/;

/** Tell of a request that failed, in words; returns the answer. */
function tell(answer, silent) {
  if (!answer.ok && !answer.errors) {
    const words = SILENT.test(answer.error ?? "") ? world.t(silent) : answer.error;
    const note = el("div", { class: "toast" }, el("p", {}, words),
      el("button", { type: "button", class: "icon-button", "aria-label": world.t("dismiss"), onclick: () => note.remove() }, icon("close")));
    at("toasts").replaceChildren(note);
    setTimeout(() => note.remove(), 12000);
  } else at("toasts").replaceChildren();
  return answer;
}

const speak = (words) => {
  at("spoken").textContent = words;
};

/** Links to messages of this workspace open here instead of in another window. */
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href]");
  const found = link && /\/archives\/([A-Z0-9]+)\/p(\d+)(\d{6})/.exec(link.href);
  if (!found || !world?.channel(found[1])) return;
  event.preventDefault();
  led = true;
  const [, channel, whole, part] = found;
  go(channel, `${whole}.${part}`);
});

/** Bring the message that a link led to into sight, once. */
function arrive() {
  show();
  const { at: ts } = world && led ? route() : {};
  led = false;
  const found = ts && [...document.querySelectorAll(`[data-ts="${ts}"]`)].find((message) => message.offsetParent);
  if (!found) return;
  found.scrollIntoView({ block: "nearest" });
  found.classList.add("arrived");
  found.addEventListener("animationend", () => found.classList.remove("arrived"), { once: true });
}

addEventListener("hashchange", () => {
  at("toasts").replaceChildren();
  arrive();
});
wide.addEventListener("change", show);
document.addEventListener("visibilitychange", show);
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !event.defaultPrevented && world && route().thread && !document.querySelector("dialog[open]")) up();
});
at("skip").addEventListener("click", (event) => {
  event.preventDefault();
  at("say").focus();
});
