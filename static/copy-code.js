// @ts-check
// Adds life to the buttons that copy code; without it they stay hidden.
/** @type {NodeListOf<HTMLButtonElement>} */
const buttons = document.querySelectorAll("button[data-copy]");
for (const button of navigator.clipboard ? buttons : []) {
  const word = button.textContent;
  button.hidden = false;
  button.ariaLive = "polite";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(button.closest("figure")?.querySelector("code")?.textContent ?? "");
    button.textContent = button.dataset.copy ?? "";
    setTimeout(() => {
      button.textContent = word;
    }, 2000);
  });
}
