/** Where the focus goes when the control that has it goes away. */

/** To the list, or to the pane around it while it has no rows. */
export function focusList(): void {
  const list = document.getElementById("uploads-grid") ?? document.getElementById("uploads");
  list?.focus({ preventScroll: true });
}

/** To the heading of the panel. */
export function focusPanel(): void {
  document.getElementById("upload-heading")?.focus({ preventScroll: true });
}
