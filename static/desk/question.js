// @ts-check
// The question before an action that can't be undone, or that readers notice.
import { openDialog } from "./app.js";

/**
 * Ask a question. Its first sentence is the heading; the button says the same as the one that was pressed.
 * @param {string} question
 * @param {HTMLElement} pressed
 * @returns {Promise<boolean>} Whether the user confirmed.
 */
export function ask(question, pressed) {
  const [heading, rest] = question.split(/(?<=\?) (.*)/s);
  const dialog = document.createElement("dialog");
  dialog.className = "sheet";
  dialog.setAttribute("role", "alertdialog");
  dialog.setAttribute("aria-labelledby", "question");
  const box = element("div", "", { className: "stack" });
  box.append(element("h2", heading, { id: "question" }));
  if (rest) {
    box.append(element("p", rest, { id: "question-rest" }));
    dialog.setAttribute("aria-describedby", "question-rest");
  }
  const confirm = element("button", pressed.textContent?.trim() ?? "OK", { className: "btn btn-danger" });
  const cancel = element("button", "Cancel", { className: "btn btn-bare", autofocus: true });
  cancel.dataset.close = "";
  const buttons = element("p", "", { className: "row" });
  buttons.append(confirm, cancel);
  box.append(buttons);
  dialog.append(box);
  document.body.append(dialog);
  openDialog(dialog);
  return new Promise((resolve) => {
    confirm.addEventListener("click", () => dialog.close("confirmed"));
    // Here, because another dialog may be open below.
    dialog.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      dialog.close();
    });
    dialog.addEventListener("close", () => {
      dialog.remove();
      const now = pressed.isConnected ? pressed : document.getElementById(pressed.id); // it may have been replaced
      now?.focus();
      resolve(dialog.returnValue === "confirmed");
    });
  });
}

/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {string} text
 * @param {Partial<HTMLElementTagNameMap[Name]>} properties
 */
function element(name, text, properties) {
  return Object.assign(document.createElement(name), { textContent: text }, properties);
}
