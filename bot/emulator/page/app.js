// Puts the page together: what the server says goes in, what the person does goes out.

import { Acts } from "./acts.js";
import { BreakPanel } from "./break.js";
import { Composer } from "./composer.js";
import { el, fill, icon } from "./dom.js";
import { readFile } from "./files.js";
import { Home, Tabs } from "./home.js";
import { MessageList, summaryOf } from "./messages.js";
import { Modal } from "./modal.js";
import { askWho, sidebar, switcher } from "./sidebar.js";
import { Socket } from "./socket.js";
import { markRead, readUpTo, World } from "./state.js";
import { wordsFor } from "./texts.js";

const at = (id) => document.getElementById(id);
const wide = matchMedia("(min-width: 760px)");
let world = null;
let led = false; // by a link, so that the message it names is shown in its place
let entered = null; // which tab of the app's direct messages is open: the app hears of each look at one
let last = null; // the channel that was open last
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

/** Whether this is what somebody else sees than the person of this tab, once one is chosen. */
const another = (one) => (chosen() ?? one.me.id) !== one.me.id;

/** Once per connection: be again who this tab was (true: wait for that), or ask. */
function settle(next) {
  if (welcomed) return another(next);
  welcomed = true;
  if (next.user(chosen())) {
    if (chosen() === next.me.id) return false;
    be(chosen());
    return true;
  }
  sessionStorage.removeItem("me");
  askWho(at("people"), next, be, wordsFor(navigator.language));
  at("people").addEventListener("close", () => chosen() ?? be(next.me.id), { once: true });
  return false;
}

/** Become a person: as long as the page shows what somebody else sees, nothing can be typed and nothing is shown anew. */
function be(user) {
  sessionStorage.setItem("me", user);
  if (world && another(world)) for (const one of [composer, answer]) one.stop();
  return acts.do({ do: "be", user });
}

// -- where ----------------------------------------------------------------------------------------------

/**
 * Where the page is: `#C0NOTES`, `#C0NOTES/<ts>` for a message or the thread it is in, `#C0NOTES/<ts>/thread` for a thread
 * that it may begin, `#D0…/home` for the app's Home tab; on a phone `#` is the list.
 */
function route() {
  const [id, rest, more] = decodeURIComponent(location.hash.slice(1)).split("/");
  const channel = world.channel(id);
  if (channel) {
    const message = world.messages(id).find(({ ts }) => ts === rest);
    const root = message?.thread_ts ?? message?.ts;
    const thread = root && (more === "thread" || world.replies(id, root).length) ? root : null;
    return { channel, thread, tab: rest === "home" ? "home" : "messages", at: message?.ts };
  }
  const first = world.channels.find((one) => one.is_member && one.name !== "general") ?? world.channels[0];
  return { channel: wide.matches ? first : null, thread: null, tab: "messages" };
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
const acts = new Acts(socket, { world: () => world, toasts: at("toasts"), confirm: at("confirm") });
const lists = {
  channel: new MessageList({ ...acts.inMessage, read, openThread: (message) => go(route().channel.id, message.ts, "thread") }),
  thread: new MessageList({ ...acts.inMessage, read }),
};
const composer = new Composer({
  id: "say",
  say: (text) => acts.do({ do: "say", channel: route().channel.id, text }, "silent"),
  shortcut: (callback_id) => acts.do({ do: "shortcut", callback_id }),
});
const answer = new Composer({
  id: "answer",
  say: (text) => acts.do({ do: "say", channel: route().channel.id, text, thread_ts: route().thread }, "silent"),
});
const home = new Home(acts.inView);
const modal = new Modal(at("modal"), {
  ...acts.inView,
  submit: (view, values) => acts.ask({ do: "submit", view_id: view.id, values }),
  close: (view, everything) => acts.do({ do: "close", view_id: view.id, everything }),
});
const panel = new BreakPanel((request) => acts.do(request), (user) => (user ? be(user) : open(`/${location.hash}`, "_blank", "noopener,width=430,height=880")));
fill(at("break"), panel.node);

function show() {
  if (!world || another(world)) return;
  const { channel, thread, tab } = route();
  last = channel ?? (last && world.channel(last.id));
  document.documentElement.lang = world.me.locale;
  document.body.dataset.pane = thread ? "thread" : channel ? "channel" : "list";
  at("skip").textContent = world.t("skip");
  at("places").setAttribute("aria-label", world.t("channels"));
  at("break").setAttribute("aria-label", world.t("break"));
  at("thread").setAttribute("aria-label", world.t("thread"));
  if (channel) showChannel(channel, tab);
  else entered = null;
  showThread(channel, thread);
  sidebar(at("places"), world, { here: channel?.id, go, people: openPeople });
  panel.show(world, last);
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

const head = { channel: el("header", { class: "bar" }), thread: el("header", { class: "bar" }) };
const tabs = new Tabs(["home", "messages"], (name) => (name === "home" ? go(route().channel.id, "home") : go(route().channel.id)));
const closed = el("p", { class: "closed" });
fill(at("channel"), head.channel, tabs.node, home.node, lists.channel.node, composer.node, closed);
fill(at("thread"), head.thread, lists.thread.node, answer.node);

function showChannel(channel, tab) {
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
  if (document.visibilityState === "visible" && tab !== "home") markRead(world, channel.id);
  const atHome = tab === "home" && world.hasHome;
  if (channel.is_im && entered !== `${place} ${atHome}`) acts.ask({ do: "home", tab: atHome ? "home" : "messages" });
  entered = channel.is_im ? `${place} ${atHome}` : null;
  tabs.node.hidden = !(channel.is_im && world.hasHome);
  tabs.show(atHome ? "home" : "messages", world);
  home.node.hidden = !atHome;
  lists.channel.node.hidden = atHome;
  composer.node.hidden = atHome || channel.is_archived;
  composer.show(world, place, world.t("say", { place: name })); // once in sight: it measures itself
  closed.hidden = !channel.is_archived;
  closed.textContent = world.t("archived");
  if (atHome) home.show(world);
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
  const place = `${world.me.id} ${channel.id} ${ts}`;
  bar(head.thread, {
    title: world.t("thread"), under: world.place(channel), back: up,
    end: el("button", { type: "button", class: "icon-button shut", "data-focus": "shut", "aria-label": world.t("close"), onclick: up }, icon("close")),
  });
  lists.thread.show([root, ...world.replies(channel.id, ts)], world, { place, label: world.t("thread"), channel: channel.id });
  answer.show(world, place, world.t("answer"));
  answer.node.hidden = channel.is_archived;
}

const speak = (words) => {
  at("spoken").textContent = words;
};

/** Links to messages of this workspace open here instead of in another window; a modal would cover where they lead. */
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href]");
  const found = link && /\/archives\/([A-Z0-9]+)\/p(\d+)(\d{6})/.exec(link.href);
  if (!found || !world?.channel(found[1])) return;
  event.preventDefault();
  led = true;
  if (link.closest("#modal")) modal.close(true);
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
  [answer.field, composer.field].find((field) => field.offsetParent)?.focus();
});
