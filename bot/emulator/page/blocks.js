// Block Kit as elements. Source: https://docs.slack.dev/reference/block-kit

import { el, icon } from "./dom.js";
import { input } from "./inputs.js";
import { menu } from "./menu.js";
import { anchor, textOf } from "./mrkdwn.js";
import { richText } from "./rich.js";

/**
 * Show blocks.
 *
 * `surface` says what can be done with them: `act(block_id, action_id, value, button, item)` for what is pressed or
 * chosen (it resolves to null if the person took it back), `ask(block_id, action_id, query)` for an app's options,
 * `heading` the level of headers, `form` (modals and Home) for what is filled in: `form.add(block_id, action_id, part, block)`,
 * `form.kept(block_id, action_id)`, `form.keep(block_id, action_id, value)`.
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
  header: (block, world, surface) => el(surface.heading ?? "h2", { class: "block header" }, textOf(block.text, world)),
  divider: () => el("hr", { class: "block divider" }),
  section: (block, world, surface) => {
    const words = el("div", { class: "words" },
      block.text && el("p", { class: "text" }, textOf(block.text, world)),
      block.fields && el("div", { class: "fields" }, block.fields.map((field) => el("p", { class: "text" }, textOf(field, world)))));
    const accessory = block.accessory && element(block.accessory, block, world, surface);
    return el("div", { class: accessory ? "block section with-accessory" : "block section" }, words, accessory);
  },
  context: (block, world) => el("div", { class: "block context" }, (block.elements ?? []).map((item) =>
    item.type === "image" ? picture(item) : el("p", { class: "text" }, textOf(item, world)))),
  actions: (block, world, surface) => el("div", { class: "block actions" }, (block.elements ?? []).map((item) => element(item, block, world, surface))),
  rich_text: richText,
  markdown: (block) => el("p", { class: "block text" }, block.text),
  image: (block) => el("p", { class: "block" }, picture(block)),
  input: (block, world, surface) => field(block, world, surface),
};

/** The page loads nothing from elsewhere, so a picture is what it is described as. */
const picture = (item) => el("span", { class: "picture" }, `[${item.alt_text}]`);

function element(item, block, world, surface) {
  if (item.type === "image") return picture(item);
  if (item.type === "button") return button(item, block, world, surface);
  if (item.type === "overflow") return overflow(item, block, world, surface);
  const name = block.text?.text ?? item.placeholder?.text ?? item.action_id;
  return part(item, block, world, surface, { describedBy: [], optional: true, dispatch: true, name })?.node
    ?? el("span", { class: "unknown" }, world.t("cant"));
}

/** Build what is filled in or chosen; `dispatch` tells the app at once. */
function part(item, block, world, surface, { describedBy, optional, dispatch, name }) {
  const tell = async (value, before) => {
    if ((await surface.act(block.block_id, item.action_id, value, built.field, item)) !== null || before === undefined) return;
    built.set(before);
    surface.form?.keep(block.block_id, item.action_id, before);
  };
  const built = input(item, {
    kept: surface.form?.kept(block.block_id, item.action_id),
    describedBy, optional, world,
    ask: (query) => surface.ask(block.block_id, item.action_id, query),
    sent: dispatch ? (value) => tell(value) : null,
    changed: (value, before) => {
      surface.form?.keep(block.block_id, item.action_id, value);
      if (dispatch && !("value" in value)) tell(value, before);
    },
  });
  if (!built) return null;
  if (name) (built.isGroup ? built.node : built.field).setAttribute("aria-label", name);
  surface.form?.add(block.block_id, item.action_id, built, block);
  return built;
}

function overflow(item, block, world, surface) {
  const node = el("button", {
    type: "button", class: "button overflow", "aria-label": world.t("more"), "data-action": item.action_id, "data-focus": item.action_id,
  }, el("span", { class: "label" }, icon("more")));
  const { list } = menu(node, () => item.options.map((option) => ({
    label: option.text.text, more: option.description?.text,
    act: () => {
      if (option.url) open(option.url, "_blank", "noopener,noreferrer");
      surface.act(block.block_id, item.action_id, { selected_option: option }, node, item);
    },
  })));
  return el("span", { class: "with-menu" }, node, list);
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
  const built = part(block.element, block, world, surface, {
    describedBy: [`${base}-error`, hint && `${base}-hint`].filter(Boolean), optional, dispatch: Boolean(block.dispatch_action),
  });
  if (!built) return el("p", { class: "block unknown" }, world.t("cant"));
  const words = [textOf(block.label, world), optional && el("span", { class: "optional" }, ` ${world.t("optional")}`)];
  if (!built.isGroup) return el("div", { class: "block input" }, el("label", { for: built.field.id }, words), built.node, wrong, hint);
  const label = el("p", { class: "label", id: `${base}-label` }, words);
  built.node.setAttribute("aria-labelledby", label.id);
  return el("div", { class: "block input" }, label, built.node, wrong, hint);
}
