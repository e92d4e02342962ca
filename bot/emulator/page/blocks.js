// Block Kit as elements. Source: https://docs.slack.dev/reference/block-kit

import { el } from "./dom.js";
import { input } from "./inputs.js";
import { anchor, mrkdwn } from "./mrkdwn.js";

/** Show a text object: mrkdwn is read, plain text stands as it is. */
export function textOf(object, world) {
  if (!object) return [];
  if (object.type === "mrkdwn") return mrkdwn(object.text, world, { verbatim: object.verbatim });
  return [object.text ?? ""];
}

/**
 * Show blocks.
 *
 * `surface` says what can be done with them: `act(block_id, action_id, value, button)` for what is pressed or
 * chosen, `form` (modals only) for what is filled in: `form.add(block, part)`, `form.kept(block_id, action_id)`.
 */
export function blocks(list, world, surface) {
  return (list ?? []).map((block) => {
    const build = KINDS[block.type];
    const node = build ? build(block, world, surface) : el("p", { class: "block unknown" }, world.t("cant"));
    if (block.block_id) node.dataset.block = block.block_id;
    return node;
  });
}

const KINDS = {
  header: (block, world, surface) => el(surface.form ? "h3" : "h2", { class: "block header" }, textOf(block.text, world)),
  divider: () => el("hr", { class: "block divider" }),
  section: (block, world, surface) => {
    const words = el("div", { class: "words" },
      block.text && el("p", { class: "text" }, textOf(block.text, world)),
      block.fields && el("div", { class: "fields" }, block.fields.map((field) => el("p", { class: "text" }, textOf(field, world)))));
    const accessory = block.accessory && element(block.accessory, block, world, surface);
    return el("div", { class: accessory ? "block section with-accessory" : "block section" }, words, accessory);
  },
  context: (block, world) => el("div", { class: "block context" }, (block.elements ?? []).map((item) =>
    item.type === "image" ? el("span", { class: "picture" }, `[${item.alt_text}]`) : el("p", { class: "text" }, textOf(item, world)))),
  actions: (block, world, surface) => el("div", { class: "block actions" }, (block.elements ?? []).map((item) => element(item, block, world, surface))),
  markdown: (block) => el("p", { class: "block text" }, block.text),
  image: (block, world) => el("p", { class: "block unknown" }, `[${block.alt_text ?? world.t("cant")}]`),
  input: (block, world, surface) => field(block, world, surface),
};

function element(item, block, world, surface) {
  if (item.type === "button") return button(item, block, world, surface);
  const part = input(item, {
    kept: surface.form?.kept(block.block_id, item.action_id),
    describedBy: [],
    optional: false,
    world,
    changed: (value) => {
      surface.form?.keep(block.block_id, item.action_id, value);
      surface.act(block.block_id, item.action_id, value, part.field);
    },
  });
  if (!part) return el("span", { class: "unknown" }, world.t("cant"));
  const name = block.text?.text ?? item.placeholder?.text ?? item.action_id;
  (part.isGroup ? part.node : part.field).setAttribute("aria-label", name);
  surface.form?.add(block.block_id, item.action_id, part, block);
  return part.node;
}

function button(item, block, world, surface) {
  const style = { primary: " primary", danger: " danger" }[item.style] ?? "";
  const node = el("button", {
    type: "button", class: `button${style}`,
    "aria-label": item.accessibility_label,
    "data-action": item.action_id,
    "data-focus": `${item.action_id} ${item.value ?? ""}`,
    onclick: () => surface.act(block.block_id, item.action_id, null, node, item),
  }, el("span", { class: "label" }, item.text?.text ?? ""));
  if (!item.url) return node;
  const link = anchor(item.url, [item.text?.text ?? ""]);
  link.className = `button${style}`;
  link.addEventListener("click", () => surface.act(block.block_id, item.action_id, null, link, { ...item, confirm: null }));
  return link;
}

function field(block, world, surface) {
  const optional = Boolean(block.optional);
  const base = `input-${block.block_id}`;
  const hint = block.hint && el("p", { class: "hint", id: `${base}-hint` }, textOf(block.hint, world));
  const wrong = el("p", { class: "error", id: `${base}-error` });
  const part = input(block.element, {
    kept: surface.form?.kept(block.block_id, block.element.action_id),
    describedBy: [`${base}-error`, hint && `${base}-hint`].filter(Boolean),
    optional,
    world,
    changed: (value) => {
      surface.form?.keep(block.block_id, block.element.action_id, value);
      if (block.dispatch_action && block.element.type !== "plain_text_input") surface.act(block.block_id, block.element.action_id, value, part.field);
    },
  });
  if (!part) return el("p", { class: "block unknown" }, world.t("cant"));
  surface.form?.add(block.block_id, block.element.action_id, part, block);
  const words = [textOf(block.label, world), optional && el("span", { class: "optional" }, ` ${world.t("optional")}`)];
  if (!part.isGroup) return el("div", { class: "block input" }, el("label", { for: part.field.id }, words), part.node, wrong, hint);
  const label = el("p", { class: "label", id: `${base}-label` }, words);
  part.node.setAttribute("aria-labelledby", label.id);
  return el("div", { class: "block input" }, label, part.node, wrong, hint);
}
