// Files of a message: what they are called, how they begin, and the whole of them.

import { el, fill, icon } from "./dom.js";

const size = (bytes) => (bytes < 1024 ? `${bytes} B` : `${Math.round(bytes / 1024)} KB`);

/** The path of a file on this Slack, wherever it says it listens. */
const path = (url) => new URL(url, location.origin).pathname;

/** Show a file as a card; a text shows its beginning, and `read(file)` opens the rest. */
export function fileCard(file, world, read) {
  const name = file.title || file.name;
  const about = [file.pretty_type, size(file.size), file.lines > 0 && world.t(file.lines === 1 ? "line" : "lines", { n: file.lines })].filter(Boolean).join(" · ");
  return el("figure", { class: "file", "aria-label": `${world.t("file")} ${name}` },
    el("figcaption", { class: "file-head" },
      el("span", { class: "file-kind", "aria-hidden": "true" }, (file.name.split(".").at(-1) || "").slice(0, 5).toUpperCase()),
      el("span", { class: "file-name" }, el("strong", {}, name), el("span", { class: "description" }, about)),
      el("a", { class: "icon-button", href: path(file.url_private_download), download: file.name, "aria-label": world.t("download", { name }) }, icon("download"))),
    file.preview && el("pre", { class: "file-preview" }, file.preview),
    file.preview !== null && el("button", { type: "button", class: "file-open", "data-focus": `file ${file.id}`, onclick: () => read(file) }, world.t("whole")));
}

/** Open the whole of a text file in a dialog. */
export async function readFile(dialog, file, world) {
  const name = file.title || file.name;
  const text = el("pre", { class: "file-text", tabindex: "0", role: "group", "aria-label": name }, world.t("loading"));
  dialog.setAttribute("aria-labelledby", "file-title");
  fill(dialog,
    el("header", { class: "file-bar" },
      el("h2", { id: "file-title", tabindex: "-1" }, name),
      el("a", { class: "icon-button", href: path(file.url_private_download), download: file.name, "aria-label": world.t("download", { name }) }, icon("download")),
      el("button", { type: "button", class: "icon-button", "aria-label": world.t("close"), onclick: () => dialog.close() }, icon("close"))),
    text);
  dialog.showModal();
  dialog.querySelector("h2").focus();
  const answer = await fetch(path(file.url_private)).catch(() => null);
  text.textContent = answer?.ok ? await answer.text() : world.t("offline");
}
