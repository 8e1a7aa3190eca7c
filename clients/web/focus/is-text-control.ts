const textControls =
  "textarea, select, [contenteditable], input:not([type=checkbox], [type=radio], [type=button])";

/** Whether keys that are pressed on it may be text. */
export function isTextControl(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(textControls) !== null;
}
