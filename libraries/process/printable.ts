/** All text that people read on a terminal: what others chose in it must not steer the terminal. */

/**
 * Escapes characters that steer a terminal or are invisible: control characters, line separators,
 * and marks that change the direction of text. Writes `\n`, `\t` and the like, else `\u{1b}`. Text
 * that is escaped already stays as it is.
 */
export function printable(text: string): string {
  return text.replace(unsafeCharacters, (character) => {
    const codePoint = character.codePointAt(0)?.toString(16) ?? "";
    return shortForms[character] ?? `\\u{${codePoint}}`;
  });
}

const unsafeCharacters = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}]/gu;

const shortForms: Readonly<Record<string, string>> = {
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
};

/** Escapes lines of text, and leaves the line feeds between them. */
export function printableLines(text: string): string {
  return text.replace(/[^\n]+/g, printable);
}

/** Prints lines for people. A text in them that may contain line feeds must be `printable`. */
export function printText(text: string, output: NodeJS.WritableStream = process.stdout): void {
  output.write(printableLines(text));
}
