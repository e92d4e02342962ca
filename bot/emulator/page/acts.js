// What the person does, as requests to the server: shows that it is under way, and tells if nothing came.

import { el, icon } from "./dom.js";
import { textOf } from "./mrkdwn.js";
import { askSure } from "./sidebar.js";

const SILENT = /did not respond|^(?:offline|operation_timeout)$/;
const SHOWN_FOR = 12000;

export class Acts {
  /** `world()` returns what the page shows now; `toasts` and `confirm` are the places for notes and questions. */
  constructor(socket, { world, toasts, confirm }) {
    Object.assign(this, { socket, world, toasts, confirm });
  }

  ask(request) {
    return this.socket.ask(request);
  }

  /** Do what the request says and tell of it if it failed; `silent` names the words for an app that did not answer. */
  async do(request, silent = "silentClick") {
    return this.tell(await this.socket.ask(request), silent);
  }

  /** How blocks of a message are pressed and asked. */
  inMessage = {
    click: ({ channel, message, block_id, action_id, value, button, item }) =>
      this.press(button, item, { do: "click", channel, ts: message.ts, block_id, action_id, value }),
    ask: ({ channel, message, block_id, action_id, query }) =>
      this.ask({ do: "suggest", channel, ts: message.ts, block_id, action_id, query }),
  };

  /** How blocks of a view are pressed and asked. */
  inView = {
    click: ({ view, block_id, action_id, value, values, button, item }) =>
      this.press(button, item, { do: "click", view_id: view.id, block_id, action_id, value, values }),
    ask: ({ view, block_id, action_id, query }) => this.ask({ do: "suggest", view_id: view.id, block_id, action_id, query }),
  };

  /**
   * Press a button or choose an option: ask first if it wants that, show that it is under way, tell if nothing came.
   * Resolves to null if the person took it back.
   */
  async press(button, item, request) {
    if (button.classList.contains("busy") && item?.type === "button") return undefined;
    if (item?.confirm && !(await askSure(this.confirm, item, this.world(), textOf))) return null;
    button.classList.add("busy");
    button.setAttribute("aria-busy", "true");
    const answer = await this.ask(request);
    button.classList.remove("busy");
    button.removeAttribute("aria-busy");
    return this.tell(answer, "silentClick");
  }

  /** Tell of a request that failed, in words; returns the answer. */
  tell(answer, silent) {
    const t = this.world().t;
    if (answer.ok || answer.errors) {
      this.toasts.replaceChildren();
      return answer;
    }
    const words = SILENT.test(answer.error ?? "") ? t(silent) : answer.error;
    const note = el("div", { class: "toast" }, el("p", {}, words),
      el("button", { type: "button", class: "icon-button", "aria-label": t("dismiss"), onclick: () => note.remove() }, icon("close")));
    this.toasts.replaceChildren(note);
    setTimeout(() => note.remove(), SHOWN_FOR);
    return answer;
  }
}
