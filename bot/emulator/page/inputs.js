// What people fill in: text fields, selects, radio buttons, checkboxes. Values have the shape of Slack's view state.

import { el, unique } from "./dom.js";
import { textOf } from "./mrkdwn.js";
import { isPicker, Picker } from "./picker.js";

const PAUSE = 400;

// Text fields: the type of the field and the key of the value.
const TYPED = {
  plain_text_input: ["text", "value", "initial_value"],
  email_text_input: ["email", "value", "initial_value"],
  url_text_input: ["url", "value", "initial_value"],
  number_input: ["text", "value", "initial_value"],
  datepicker: ["date", "selected_date", "initial_date"],
  timepicker: ["time", "selected_time", "initial_time"],
};

/**
 * Build an input element.
 *
 * `kept` is the value so far (Slack's view state), `describedBy` the ids of what describes the field, `changed(value,
 * before)` is told each new value, `sent(value)` a text that wants to be sent at once, `ask(query)` gets an app's
 * options. Returns `{node, field, value(), set(value), isGroup}`: the element, what takes the focus, the current
 * value, how to take it back, and whether its label is one of a group.
 */
export function input(element, given) {
  if (isPicker(element.type)) return new Picker(element, given);
  if (element.type in TYPED) return text(element, given);
  const build = { static_select: select, radio_buttons: group, checkboxes: group }[element.type];
  return build?.(element, given) ?? null;
}

function text(element, { kept, describedBy, changed, sent, world }) {
  const id = unique("field");
  const [type, key, first] = TYPED[element.type];
  const counter = el("p", { class: "counter", id: `${id}-left`, "aria-live": "polite" });
  const field = el(element.multiline ? "textarea" : "input", {
    id, class: "field", "data-focus": element.action_id,
    type: element.multiline ? null : type,
    inputmode: element.type === "number_input" ? (element.is_decimal_allowed ? "decimal" : "numeric") : null,
    rows: element.multiline ? 4 : null,
    placeholder: element.placeholder?.text,
    minlength: element.min_length,
    autocomplete: "off",
    "aria-describedby": [...describedBy, `${id}-left`].join(" "),
  });
  field.value = (kept ? kept[key] : element[first]) ?? "";
  const value = () => ({ type: element.type, [key]: field.value === "" ? null : field.value });
  const tell = () => {
    const left = element.max_length ? element.max_length - field.value.length : Infinity;
    counter.textContent = left > 100 ? "" : world.t(left < 0 ? "over" : "left", { n: Math.abs(left) });
    counter.classList.toggle("wrong", left < 0);
  };
  tell();
  const wants = element.dispatch_action_config?.trigger_actions_on ?? ["on_enter_pressed"];
  let soon;
  field.addEventListener("input", () => {
    tell();
    changed(value());
    clearTimeout(soon);
    if (wants.includes("on_character_entered")) soon = setTimeout(() => sent?.(value()), PAUSE);
  });
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing || element.multiline || !sent || !wants.includes("on_enter_pressed")) return;
    event.preventDefault();
    sent(value());
  });
  return { node: el("div", {}, field, counter), field, value, set: () => {}, isGroup: false };
}

function select(element, { kept, describedBy, changed, world, optional }) {
  const id = unique("field");
  const groups = element.option_groups ?? [{ options: element.options }];
  const options = groups.flatMap((grouped) => grouped.options);
  const row = (option) => el("option", { value: String(options.indexOf(option)) }, option.text.text);
  const field = el("select", { id, class: "field", "aria-describedby": describedBy.join(" ") || null, "data-focus": element.action_id },
    el("option", { value: "", disabled: !optional, hidden: !optional }, element.placeholder?.text ?? world.t("choose")),
    groups.map((grouped) => (grouped.label ? el("optgroup", { label: grouped.label.text }, grouped.options.map(row)) : grouped.options.map(row))));
  const set = (to) => {
    const at = options.findIndex((option) => option.value === to?.selected_option?.value);
    field.value = at < 0 ? "" : String(at);
  };
  set(kept ?? { selected_option: element.initial_option });
  const value = () => ({ type: element.type, selected_option: field.value === "" ? null : options[Number(field.value)] });
  let before = value();
  field.addEventListener("change", () => {
    changed(value(), before);
    before = value();
  });
  return { node: el("div", { class: "select" }, field), field, value, set, isGroup: false };
}

function group(element, { kept, describedBy, changed, world }) {
  const one = element.type === "radio_buttons";
  const key = one ? "selected_option" : "selected_options";
  const name = unique("group");
  const boxes = element.options.map((option, index) => el("input", {
    type: one ? "radio" : "checkbox", name, id: `${name}-${index}`, "data-focus": `${element.action_id} ${index}`,
    "aria-labelledby": `${name}-${index}-words`, "aria-describedby": option.description ? `${name}-${index}-more` : null,
  }));
  const set = (to) => {
    const chosen = new Set([to?.[key]].flat().filter(Boolean).map((option) => option.value));
    boxes.forEach((box, index) => (box.checked = chosen.has(element.options[index].value)));
  };
  set(kept ?? { [key]: one ? element.initial_option : element.initial_options });
  const value = () => {
    const picked = element.options.filter((_, index) => boxes[index].checked);
    return { type: element.type, [key]: one ? picked[0] ?? null : picked };
  };
  const node = el("div", { class: "choices", role: one ? "radiogroup" : "group", "aria-describedby": describedBy.join(" ") || null },
    element.options.map((option, index) => el("label", { class: "choice" }, boxes[index],
      el("span", {}, el("span", { id: `${name}-${index}-words` }, textOf(option.text, world)),
        option.description && el("span", { class: "description", id: `${name}-${index}-more` }, textOf(option.description, world))))));
  let before = value();
  node.addEventListener("change", () => {
    changed(value(), before);
    before = value();
  });
  return { node, field: boxes[0], value, set, isGroup: true };
}

/** Whether nothing was given. */
export const isEmpty = (value) =>
  Object.entries(value ?? {}).every(([key, given]) => key === "type" || !given || given.length === 0);
