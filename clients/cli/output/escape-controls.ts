/**
 * Shows what a terminal would obey, or what would not show: control characters, line separators,
 * and marks that change the direction of text. `\n`, `\t` and the like, else `\u{1b}`.
 */
export function escapeControls(text: string): string {
  return text.replace(obeyed, (character) => {
    const codePoint = character.codePointAt(0)?.toString(16) ?? "";
    return shortForms[character] ?? `\\u{${codePoint}}`;
  });
}

const obeyed = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}]/gu;

const shortForms: Readonly<Record<string, string>> = {
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
};
