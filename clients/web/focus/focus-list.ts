/** Where the focus goes when the control that has it goes away. */

const pane = () => document.getElementById("uploads");

/** Whether the panel covers the list, as it does on narrow screens. */
export function isListCovered(): boolean {
  return pane()?.inert === true;
}

/** To the list, to the pane around it while it has no rows, or to the panel that covers it. */
export function focusList(): void {
  const list = document.getElementById("uploads-grid") ?? pane();
  if (isListCovered()) focusPanel();
  else list?.focus({ preventScroll: true });
}

/** To the heading of the panel. */
export function focusPanel(): void {
  document.getElementById("upload-heading")?.focus({ preventScroll: true });
}
