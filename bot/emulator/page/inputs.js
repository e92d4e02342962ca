// What people fill in: text fields, selects, radio buttons, checkboxes. Values have the shape of Slack's view state.

import { el } from "./dom.js";

let count = 0;
const unique = (prefix) => `${prefix}-${(count += 1)}`;

/**
 * Build an input element.
 *
 * `kept` is the value typed before (Slack's view state), `ids` the ids of what describes the field, `changed(value)`
 * is told each new value. Returns `{node, field, value, label}`: the element, what takes the focus, the current
 * value, and whether the label is a legend (a group) or belongs to one field.
 */
export function input(element, { kept, describedBy, changed, world, optional }) {
  const build = { plain_text_input: text, static_select: select, radio_buttons: group, checkboxes: group }[element.type];
  return build?.(element, { kept, describedBy, changed, world, optional }) ?? null;
}

function text(element, { kept, describedBy, changed, world }) {
  const id = unique("field");
  const counter = el("p", { class: "counter", id: `${id}-left`, "aria-live": "polite" });
  const field = el(element.multiline ? "textarea" : "input", {
    id, class: "field", "data-focus": id,
    type: element.multiline ? null : "text",
    rows: element.multiline ? 4 : null,
    placeholder: element.placeholder?.text,
    minlength: element.min_length,
    autocomplete: "off",
    "aria-describedby": [...describedBy, `${id}-left`].join(" "),
  });
  field.value = kept?.value ?? element.initial_value ?? "";
  const value = () => ({ type: element.type, value: field.value === "" ? null : field.value });
  const tell = () => {
    const left = element.max_length ? element.max_length - field.value.length : Infinity;
    counter.textContent = left > 100 ? "" : world.t(left < 0 ? "over" : "left", { n: Math.abs(left) });
    counter.classList.toggle("wrong", left < 0);
  };
  tell();
  field.addEventListener("input", () => {
    tell();
    changed(value());
  });
  return { node: el("div", {}, field, counter), field, value, isGroup: false };
}

function select(element, { kept, describedBy, changed, world, optional }) {
  const id = unique("field");
  const options = element.options ?? (element.option_groups ?? []).flatMap((grouped) => grouped.options);
  const chosen = (kept ? kept.selected_option : element.initial_option)?.value;
  const field = el("select", { id, class: "field", "aria-describedby": describedBy.join(" ") || null, "data-focus": element.action_id },
    el("option", { value: "", disabled: !optional, hidden: !optional }, element.placeholder?.text ?? world.t("choose")),
    options.map((option, index) => el("option", { value: String(index) }, option.text.text)));
  const at = options.findIndex((option) => option.value === chosen);
  field.value = at < 0 ? "" : String(at);
  const value = () => ({ type: element.type, selected_option: field.value === "" ? null : options[Number(field.value)] });
  field.addEventListener("change", () => changed(value()));
  return { node: el("div", { class: "select" }, field), field, value, isGroup: false };
}

function group(element, { kept, describedBy, changed }) {
  const one = element.type === "radio_buttons";
  const name = unique("group");
  const initial = kept
    ? (one ? [kept.selected_option].filter(Boolean) : kept.selected_options)
    : (one ? [element.initial_option].filter(Boolean) : element.initial_options ?? []);
  const chosen = new Set(initial.map((option) => option.value));
  const boxes = element.options.map((option, index) => {
    const box = el("input", { type: one ? "radio" : "checkbox", name, id: `${name}-${index}`, "data-focus": `${element.action_id} ${index}` });
    box.checked = chosen.has(option.value);
    return box;
  });
  const value = () => {
    const picked = element.options.filter((_, index) => boxes[index].checked);
    return one ? { type: element.type, selected_option: picked[0] ?? null } : { type: element.type, selected_options: picked };
  };
  const node = el("div", { class: "choices", role: one ? "radiogroup" : "group", "aria-describedby": describedBy.join(" ") || null },
    element.options.map((option, index) => el("label", { class: "choice", for: boxes[index].id }, boxes[index],
      el("span", {}, el("span", {}, option.text.text), option.description && el("span", { class: "description" }, option.description.text)))));
  node.addEventListener("change", () => changed(value()));
  return { node, field: boxes[0], value, isGroup: true };
}

/** Whether nothing was given. */
export const isEmpty = (value) =>
  !(value?.value || value?.selected_option || (value?.selected_options ?? []).length);
