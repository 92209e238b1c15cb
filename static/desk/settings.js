// Forms with secrets, and forms that wait for somebody else's answer. Without this they work all the same.

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-reveal]");
  if (!button) return;
  const input = document.getElementById(button.dataset.reveal);
  const isShown = input.type === "password";
  input.type = isShown ? "text" : "password";
  button.setAttribute("aria-pressed", String(isShown));
  button.querySelector("span").textContent = isShown ? "Hide" : "Show";
});

document.addEventListener("submit", (event) => {
  const button = event.target.querySelector("[data-busy]");
  if (!button) return;
  // Not disabled: a form whose answer does not come can be sent again.
  button.setAttribute("aria-busy", "true");
  button.querySelector("span").textContent = button.dataset.busy;
});
