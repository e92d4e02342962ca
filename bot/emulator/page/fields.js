// The fields of a view: what is typed in them outlives each drawing, and where the focus was is found again.

const at = (block_id, action_id) => `${block_id}\n${action_id}`;

export class Fields {
  /** `touched(block_id)` is told when a field changes. */
  constructor(touched = () => {}) {
    this.touched = touched;
    this.drafts = new Map();
    this.parts = [];
  }

  /** Begin to draw a view; returns what `blocks` needs to build its fields. */
  begin(view) {
    if (!this.drafts.has(view.id)) this.drafts.set(view.id, new Map());
    const draft = this.drafts.get(view.id);
    this.draft = draft;
    this.parts = [];
    return {
      add: (block_id, action_id, part, block) => this.parts.push({ block_id, action_id, part, block }),
      kept: (block_id, action_id) => draft.get(at(block_id, action_id)) ?? view.state?.values?.[block_id]?.[action_id],
      keep: (block_id, action_id, value) => {
        draft.set(at(block_id, action_id), value);
        this.touched(block_id);
      },
    };
  }

  /** A view is drawn: a field that is not there now begins anew when it comes again, as in Slack. */
  end() {
    const there = new Set(this.parts.map(({ block_id, action_id }) => at(block_id, action_id)));
    for (const key of this.draft.keys()) if (!there.has(key)) this.draft.delete(key);
  }

  /** Forget what was typed in views that are gone. */
  forget(open) {
    for (const id of this.drafts.keys()) if (!open.has(id)) this.drafts.delete(id);
  }

  /** Everything filled in so far, as Slack's `view.state.values`. */
  values() {
    const values = {};
    for (const { block_id, action_id, part } of this.parts) (values[block_id] ??= {})[action_id] = part.value();
    return values;
  }
}

/** What in `node` has the focus, by names that stay when it is drawn again; null if nothing has. */
export function focused(node) {
  const active = document.activeElement;
  return node.contains(active) && active !== node ? nameOf(active) : null;
}

const nameOf = (active) => at(active.closest("[data-block]")?.dataset.block ?? "", active.dataset.action ?? active.dataset.focus ?? "");

/** Give the focus back to what is called `name` now; returns whether it is there. */
export function refocus(node, name) {
  const back = [...node.querySelectorAll("[data-focus]")].find((one) => nameOf(one) === name);
  back?.focus({ preventScroll: true });
  if (back?.type === "text") back.setSelectionRange(back.value.length, back.value.length);
  return Boolean(back);
}
