// Rich text: what apps write as a tree instead of marks. Source: https://docs.slack.dev/reference/block-kit/blocks/rich-text-block

import { el } from "./dom.js";
import { show } from "./mrkdwn.js";

const INDENT = 24;
const STYLES = ["code", "strike", "italic", "bold"];

// One element of a line as a node of mrkdwn.
const NODES = {
  text: ({ text }) => text,
  link: ({ url, text }) => ({ kind: "link", url, children: [text || url] }),
  user: ({ user_id: id }) => ({ kind: "user", id }),
  usergroup: ({ usergroup_id: id }) => ({ kind: "group", id }),
  channel: ({ channel_id: id }) => ({ kind: "channel", id }),
  broadcast: ({ range }) => ({ kind: "everyone", name: range }),
  date: ({ timestamp, format, url, fallback }) => ({ kind: "date", seconds: timestamp, format, url: url ?? null, label: fallback }),
  emoji: ({ name, unicode }) => (unicode ? String.fromCodePoint(...unicode.split("-").map((part) => Number.parseInt(part, 16))) : `:${name}:`),
  color: ({ value }) => value,
};

function line(elements, world) {
  return (elements ?? []).map((element) => {
    const node = NODES[element.type]?.(element) ?? world.t("cant");
    const styled = STYLES.filter((style) => element.style?.[style]).reduce((inner, kind) => ({ kind, children: [inner] }), node);
    return show(styled, world);
  });
}

const PARTS = {
  rich_text_section: (part, world) => el("p", { class: "text" }, line(part.elements, world)),
  rich_text_preformatted: (part, world) => el("pre", {}, line(part.elements, world)),
  rich_text_quote: (part, world) => el("blockquote", { class: "text" }, line(part.elements, world)),
  rich_text_list: (part, world) => {
    const ordered = part.style === "ordered";
    const node = el(ordered ? "ol" : "ul", { class: "rich-list", start: ordered && part.offset ? part.offset + 1 : null },
      (part.elements ?? []).map((item) => el("li", { class: "text" }, line(item.elements, world))));
    node.style.marginInlineStart = `${INDENT * ((part.indent ?? 0) + 1)}px`;
    return node;
  },
};

/** Show a rich text block. */
export const richText = (block, world) =>
  el("div", { class: "block rich" }, (block.elements ?? []).map((part) => PARTS[part.type]?.(part, world) ?? el("p", { class: "unknown" }, world.t("cant"))));
