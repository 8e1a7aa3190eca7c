/**
 * Moves the focus to the list, or to the pane around it while it has no rows. For controls that go
 * away when they are used: the focus would go with them, back to the start of the page.
 */
export function focusList(): void {
  const list = document.getElementById("uploads-grid") ?? document.getElementById("uploads");
  list?.focus({ preventScroll: true });
}
