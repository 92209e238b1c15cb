// Texts with a selection, as strings.

/** Read a text in which "«" and "»" stand for the selection, or "|" for the caret. */
export function field(text) {
  const [before, selected, after] = text.replace("|", "«»").split(/[«»]/);
  return {
    value: before + selected + after,
    selectionStart: before.length,
    selectionEnd: before.length + selected.length,
  };
}

/** Return the text after an edit, written in the same way. */
export function applied(text, edit) {
  const { value } = field(text);
  const after = value.slice(0, edit.start) + edit.text + value.slice(edit.end);
  const [from, to] = edit.select ?? [edit.start + edit.text.length, edit.start + edit.text.length];
  if (from === to) return `${after.slice(0, from)}|${after.slice(from)}`;
  return `${after.slice(0, from)}«${after.slice(from, to)}»${after.slice(to)}`;
}
