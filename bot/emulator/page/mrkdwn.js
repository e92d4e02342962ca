// Slack's mrkdwn, read into a small tree and shown as elements.
// Source: https://docs.slack.dev/messaging/formatting-message-text

import { dateText, moment } from "./dates.js";
import { el } from "./dom.js";

const ENTITIES = { "&amp;": "&", "&lt;": "<", "&gt;": ">" };
const MARKS = { "*": "bold", "_": "italic", "~": "strike", "`": "code" };
// A mark counts between blanks, line ends and ASCII punctuation only: `が*太字*で` shows its stars.
const BORDER = /[\s!-/:-@[-`{-~]/;

const unescape = (text) => text.replace(/&(?:amp|lt|gt);/g, (entity) => ENTITIES[entity]);
const isBorder = (character) => character === undefined || character === "" || BORDER.test(character);

/** Read mrkdwn into a list of strings and `{kind, …}` nodes. */
export function parse(text, { verbatim = false } = {}) {
  return text.split("```").flatMap((part, index, all) => {
    const closed = index < all.length - 1;
    if (index % 2 === 1 && closed) return part === "" ? [] : [{ kind: "pre", text: unescape(part.replace(/^\n/, "")) }];
    return quotes(index % 2 === 1 ? "```" + part : part, verbatim);
  });
}

function quotes(text, verbatim) {
  const found = [];
  let plain = [];
  let quoted = [];
  const flush = () => {
    if (quoted.length) found.push({ kind: "quote", children: inline(quoted.join("\n"), verbatim) });
    if (plain.length) found.push(...inline(plain.join("\n"), verbatim));
    quoted = [];
    plain = [];
  };
  for (const line of text.split("\n")) {
    const quote = /^(?:>|&gt;) ?(.*)$/.exec(line);
    if ((quote ? plain : quoted).length) flush();
    if (quote) quoted.push(quote[1]);
    else plain.push(line);
  }
  flush();
  return found;
}

function inline(text, verbatim) {
  const found = [];
  let literal = "";
  let at = 0;
  const push = (node, length) => {
    if (literal) found.push(literal);
    literal = "";
    found.push(node);
    at += length;
  };
  while (at < text.length) {
    const rest = text.slice(at);
    const character = text[at];
    const angle = character === "<" ? /^<([^<>\n]+)>/.exec(rest) : null;
    const token = angle && reference(angle[1]);
    const entity = character === "&" ? /^&(?:amp|lt|gt);/.exec(rest) : null;
    const url = !verbatim && character === "h" && isBorder(text[at - 1]) ? /^https?:\/\/[^\s<>|]*[^\s<>|.,;:!?)'"]/.exec(rest) : null;
    const end = character in MARKS ? closing(text, at) : -1;
    if (token) push(token, angle[0].length);
    else if (entity) {
      literal += ENTITIES[entity[0]];
      at += entity[0].length;
    } else if (url) push({ kind: "link", url: unescape(url[0]), children: [unescape(url[0])] }, url[0].length);
    else if (end > 0) {
      const inside = text.slice(at + 1, end);
      const kind = MARKS[character];
      push({ kind, children: kind === "code" ? [unescape(inside)] : inline(inside, verbatim) }, end + 1 - at);
    } else {
      literal += character;
      at += 1;
    }
  }
  if (literal) found.push(literal);
  return found;
}

/** Where the mark opened at `start` closes, or -1 when it is just a character. */
function closing(text, start) {
  const mark = text[start];
  if (!isBorder(text[start - 1]) || text[start - 1] === mark) return -1;
  if (text[start + 1] === undefined || /\s/.test(text[start + 1]) || text[start + 1] === mark) return -1;
  for (let at = start + 1; at < text.length && text[at] !== "\n"; at += 1) {
    if (text[at] === "<" && mark !== "`") {
      const angle = /^<[^<>\n]+>/.exec(text.slice(at));
      if (angle) at += angle[0].length - 1;
    } else if (text[at] === mark && !/\s/.test(text[at - 1]) && isBorder(text[at + 1]) && text[at + 1] !== mark) return at;
  }
  return -1;
}

/** What stands between `<` and `>`: a person, a channel, everyone, a date, a link; null for anything else. */
function reference(inside) {
  const [target, ...labels] = inside.split("|");
  const label = labels.length ? unescape(labels.join("|")) : null;
  const named = /^([@#])([A-Z0-9]+)$/.exec(target);
  if (named) return { kind: named[1] === "@" ? "user" : "channel", id: named[2], label };
  const date = /^!date\^(-?\d+)\^([^^]*)(?:\^(.+))?$/.exec(target);
  if (date) return { kind: "date", seconds: Number(date[1]), format: unescape(date[2]), url: date[3] ?? null, label };
  const everyone = /^!(here|channel|everyone)$/.exec(target);
  if (everyone) return { kind: "everyone", name: everyone[1] };
  const group = /^!subteam\^([A-Z0-9]+)$/.exec(target);
  if (group) return { kind: "group", id: group[1], label };
  if (/^(?:https?:\/\/|mailto:|slack:\/\/)/i.test(target)) return { kind: "link", url: unescape(target), children: [label ?? unescape(target)] };
  return null;
}

const TAGS = { bold: "strong", italic: "em", strike: "s", code: "code", quote: "blockquote" };

/** Show mrkdwn to a viewer: `world` knows people, channels and the viewer's zone. */
export function mrkdwn(text, world, options) {
  return parse(text ?? "", options).map((node) => show(node, world));
}

/** Show a text object: mrkdwn is read, plain text stands as it is. */
export function textOf(object, world) {
  if (!object) return [];
  if (object.type === "mrkdwn") return mrkdwn(object.text, world, { verbatim: object.verbatim });
  return [object.text ?? ""];
}

/** Show a node of the tree: a string, or `{kind, …}`. */
export function show(node, world) {
  if (typeof node === "string") return node;
  if (node.kind in TAGS) return el(TAGS[node.kind], {}, node.children.map((child) => show(child, world)));
  if (node.kind === "pre") return el("pre", {}, node.text);
  if (node.kind === "user") {
    const name = (world.user(node.id)?.name ?? node.label ?? node.id).replace(/^@/, "");
    return el("span", { class: node.id === world.me.id ? "mention mine" : "mention" }, `@${name}`);
  }
  if (node.kind === "group") {
    const group = world.groups.get(node.id);
    const name = (group?.handle ?? node.label ?? node.id).replace(/^@/, "");
    return el("span", { class: group?.members.includes(world.me.id) ? "mention mine" : "mention" }, `@${name}`);
  }
  if (node.kind === "channel") {
    const channel = world.channel(node.id);
    return el("span", { class: "mention" }, channel ? world.place(channel) : `#${node.label ?? node.id}`);
  }
  if (node.kind === "everyone") return el("span", { class: "mention mine" }, `@${node.name}`);
  if (node.kind === "link") return anchor(node.url, node.children);
  const shown = dateText(node.seconds, node.format, world.me) ?? node.label ?? "";
  const time = el("time", { title: moment(node.seconds, world.me) }, shown);
  return node.url ? anchor(node.url, [time]) : time;
}

/** A link that opens apart from the page; only addresses of the web, of mail and of Slack become one. */
export function anchor(url, children) {
  if (!/^(?:https?:\/\/|mailto:|slack:\/\/)/i.test(url)) return el("span", {}, children);
  return el("a", { href: url, target: "_blank", rel: "noopener noreferrer" }, children);
}
