// The library: several pictures at once, dropped anywhere, pasted or chosen.
import { say } from "./app.js";
import { filesOf } from "./image-paste.js";
import { showProgress, upload } from "./image-upload.js";

const form = document.getElementById("drop");
const input = form.elements.file;

input.multiple = true;
form.addEventListener("submit", (event) => {
  event.preventDefault();
  take([...input.files]);
});
input.addEventListener("change", () => take([...input.files]));

document.addEventListener("dragover", (event) => {
  if (!event.dataTransfer.types.includes("Files")) return;
  event.preventDefault();
  form.classList.add("is-over");
});
document.addEventListener("dragleave", (event) => {
  if (!event.relatedTarget) form.classList.remove("is-over");
});
document.addEventListener("drop", (event) => {
  form.classList.remove("is-over");
  if (!event.dataTransfer.files.length) return;
  event.preventDefault();
  take([...event.dataTransfer.files]);
});
document.addEventListener("paste", (event) => {
  const files = filesOf(event.clipboardData);
  if (!files.length) return;
  event.preventDefault();
  take(files);
});

async function take(files) {
  const taken = [];
  const faults = [];
  form.reset();
  for (const file of files) {
    const { tell, end } = showProgress(file);
    try {
      taken.push(await upload(file, tell));
    } catch (error) {
      faults.push(error.message);
    } finally {
      end();
    }
  }
  if (taken.length) {
    await htmx.ajax("GET", form.action, { target: "#pictures", swap: "outerHTML" });
    document.getElementById(`${taken.at(-1).id}-alt`)?.focus();
  }
  if (faults.length) say(faults.join(" "), "trouble");
  else if (taken.length)
    say(
      taken.length > 1
        ? `${taken.length} pictures are here. Say what each shows.`
        : "The picture is here. Say what it shows.",
    );
}

// How many there are of each kind follows what is said and deleted.
document.addEventListener("pictures-changed", () =>
  htmx.ajax("GET", location.href, { target: "#shelves", select: "#shelves", swap: "outerHTML" }),
);

// What is deleted takes the focus along; it goes to what comes next.
let gone = null;
let next = null;
document.addEventListener("htmx:before:swap", (event) => {
  gone = event.detail.ctx?.sourceElement?.closest(".picture");
  next = gone?.nextElementSibling ?? gone?.previousElementSibling;
});
document.addEventListener("htmx:after:swap", () => {
  if (gone && !gone.isConnected && next?.isConnected) next.focus();
  gone = null;
});
