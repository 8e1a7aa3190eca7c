/**
 * Whether a key belongs to an input method, as for Japanese, which makes text of several keys: it
 * picks or ends that text and is no command to the page.
 */
export function isComposing(event: Pick<KeyboardEvent, "isComposing" | "keyCode">): boolean {
  // In Safari the text has ended already when the key that ends it arrives, with this code.
  return event.isComposing || event.keyCode === inputMethodCode;
}

const inputMethodCode = 229;
