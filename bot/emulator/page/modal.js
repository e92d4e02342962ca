// The dialog of the view on top of the viewer's stack. Typed words stay while a view is shown again or covered.

import { blocks } from "./blocks.js";
import { el, fill, icon } from "./dom.js";
import { Fields, focused, refocus } from "./fields.js";
import { isEmpty } from "./inputs.js";

/** What a view begins with; the ids that its blocks were given count for nothing. */
const opens = (view) => JSON.stringify({ ...view.blocks?.[0], block_id: null });

const hovers = () => matchMedia("(hover: hover)").matches;
const CONTROLS = "button, a[href], input, select, textarea";

export class Modal {
  /** `act` has `submit(view, values)`, `close(view, everything)`, `ask(view, …, query)` and `click(view, …)`. */
  constructor(dialog, act) {
    this.dialog = dialog;
    this.act = act;
    this.fields = new Fields((block_id) => this.mark(block_id, null));
    this.print = null;
    this.shown = null;
    dialog.addEventListener("cancel", (event) => {
      event.preventDefault();
      this.close();
    });
    dialog.addEventListener("keydown", (event) => this.keys(event));
  }

  /** Show what the snapshot says is on top, or nothing. */
  show(world) {
    const view = world.views.at(-1) ?? null;
    this.fields.forget(new Set(world.views.map(({ id }) => id)));
    const print = view && JSON.stringify([view.id, view.title, view.submit, view.close, view.blocks, world.me.id]);
    if (print === this.print) return;
    const same = view !== null && view.id === this.shown?.id;
    this.print = print;
    this.shown = view;
    this.world = world;
    if (view === null) {
      if (this.dialog.open) this.dialog.close();
      this.dialog.replaceChildren();
      this.giveBack();
      return;
    }
    const opening = opens(view);
    const turned = same && opening !== this.opening;
    this.opening = opening;
    const name = same ? focused(this.dialog) : null;
    const scrolled = same ? this.body.scrollTop : 0;
    this.build(view, world);
    if (!this.dialog.open) {
      this.opener = document.activeElement;
      this.around = this.opener.closest(".home, .log");
      this.dialog.showModal();
    }
    const found = this.focus(name);
    // Another page is read from its top, unless someone is at work in a field that stayed.
    this.body.scrollTop = turned && !found ? 0 : scrolled;
  }

  /**
   * The browser gives the focus back to what opened the modal. If that was drawn anew meanwhile, it goes to what is called
   * the same there, else to what it stood in; on a phone it is taken from a field, whose keyboard would cover what the modal was about.
   */
  giveBack() {
    if (!this.opener) return;
    if (this.opener.isConnected) {
      if (!hovers() && this.opener.matches("textarea, input")) this.opener.blur();
      return;
    }
    const ts = this.opener.closest("[data-ts]")?.dataset.ts;
    const stood = (ts && this.around?.querySelector(`[data-ts="${ts}"]`)) ?? this.around;
    const again = [...(stood?.querySelectorAll("[data-focus]") ?? [])].find((one) => one.dataset.focus === this.opener.dataset.focus);
    this.opener = null;
    if (!again && stood && !stood.hasAttribute("tabindex")) stood.tabIndex = -1;
    (again ?? stood)?.focus({ preventScroll: true });
  }

  build(view, world) {
    const title = el("h2", { id: "modal-title", tabindex: "-1" }, view.title?.text ?? "");
    this.trouble = el("p", { class: "trouble", role: "alert" });
    const form = this.fields.begin(view);
    const act = (block_id, action_id, value, button, item) =>
      this.act.click({ view, block_id, action_id, value, values: this.fields.values(), button, item });
    const ask = (block_id, action_id, query) => this.act.ask({ view, block_id, action_id, query });
    this.body = el("div", { class: "modal-body", tabindex: "-1" }, blocks(view.blocks, world, { act, ask, form, heading: "h3" }), this.trouble);
    this.fields.end();
    if (!this.body.querySelector(CONTROLS)) { // else nothing in it would take the focus, and keys could not scroll it
      this.body.tabIndex = 0;
      this.body.setAttribute("role", "group");
      this.body.setAttribute("aria-labelledby", "modal-title");
    }
    this.submitButton = view.submit && el("button", { type: "submit", class: "button primary modal-submit" }, el("span", { class: "label" }, view.submit.text));
    const page = el("form", { class: "modal-page", novalidate: true, method: "dialog", onsubmit: (event) => this.submit(event) },
      title,
      el("button", { type: "button", class: "icon-button modal-x", "aria-label": world.t("close"), onclick: () => this.close(true) }, icon("close")),
      this.body,
      el("div", { class: "modal-foot" },
        el("button", { type: "button", class: "button modal-close", onclick: () => this.close() }, el("span", { class: "label" }, view.close?.text ?? world.t("close"))),
        this.submitButton));
    this.dialog.setAttribute("aria-labelledby", "modal-title");
    fill(this.dialog, page);
  }

  /** Put the focus where it was (`name`), else where the app wants it, else at the first field; on phones at the title. Tells whether it was there. */
  focus(name) {
    if (name !== null && refocus(this.dialog, name)) return true;
    const wanted = this.fields.parts.find(({ block }) => block.element?.focus_on_load)?.part.field;
    const first = hovers() ? this.fields.parts[0]?.part.field : null;
    const target = name === null ? wanted ?? first : null;
    (target ?? this.dialog.querySelector("#modal-title")).focus({ preventScroll: name !== null });
    return false;
  }

  async submit(event) {
    event.preventDefault();
    if (this.busy) return;
    const view = this.shown;
    const world = this.world;
    this.trouble.textContent = "";
    for (const { block_id } of this.fields.parts) this.mark(block_id, null);
    const wrong = {};
    for (const { block_id, part, block } of this.fields.parts) {
      const long = block.element?.max_length && (part.value().value ?? "").length > block.element.max_length;
      if (block.type === "input" && !block.optional && isEmpty(part.value())) wrong[block_id] = world.t("required");
      else if (long) wrong[block_id] = world.t("over", { n: part.value().value.length - block.element.max_length });
    }
    if (Object.keys(wrong).length) return this.errors(wrong);
    this.setBusy(true);
    const answer = await this.act.submit(view, this.fields.values());
    this.setBusy(false);
    if (this.shown?.id !== view.id || answer.ok) return;
    if (answer.errors) this.errors(answer.errors);
    else this.trouble.textContent = world.t("modalTrouble");
  }

  setBusy(busy) {
    this.busy = busy;
    this.submitButton?.classList.toggle("busy", busy);
    this.submitButton?.setAttribute("aria-disabled", String(busy));
  }

  errors(errors) {
    for (const [block_id, words] of Object.entries(errors)) this.mark(block_id, words);
    this.fields.parts.find(({ block_id }) => block_id in errors)?.part.field.focus();
  }

  /** Show an error under a field, or take it away. */
  mark(block_id, words) {
    for (const { block_id: id, part } of this.fields.parts) {
      if (id !== block_id) continue;
      const wrong = part.node.parentElement?.querySelector(".error");
      if (!wrong) continue;
      wrong.textContent = words ?? "";
      part.node.parentElement.classList.toggle("wrong", words !== null);
      if (words === null) part.field.removeAttribute("aria-invalid");
      else part.field.setAttribute("aria-invalid", "true");
    }
  }

  close(everything = false) {
    if (this.shown) this.act.close(this.shown, everything);
  }

  keys(event) {
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey) && !event.isComposing) {
      this.dialog.querySelector("form").requestSubmit();
      event.preventDefault();
    }
    if (event.key !== "Tab") return;
    const stops = [...this.dialog.querySelectorAll("a[href], button, input, select, textarea")].filter((stop) => stop.offsetParent !== null && !stop.disabled);
    const edge = event.shiftKey ? stops[0] : stops.at(-1);
    const inside = stops.includes(document.activeElement);
    if (inside && document.activeElement !== edge) return;
    if (!inside && !event.shiftKey) return;
    (event.shiftKey ? stops.at(-1) : stops[0])?.focus();
    event.preventDefault();
  }
}
