/** Where the focus goes when the control that has it goes away. */

const pane = () => document.getElementById("uploads");
const panel = () => document.getElementById("upload");

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

/** To the heading of the panel, or to the panel itself while it has none. */
export function focusPanel(): void {
  const heading = document.getElementById("upload-heading") ?? panel();
  heading?.focus({ preventScroll: true });
}

/** From the panel itself to its heading, which has come meanwhile. */
export function focusNewHeading(): void {
  if (document.activeElement === panel()) focusPanel();
}

/** To the panel, if the element is in it, else to the list. */
export function focusAround(element: Element): void {
  if (panel()?.contains(element)) focusPanel();
  else focusList();
}
