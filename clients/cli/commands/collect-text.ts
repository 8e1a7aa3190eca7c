/** Adds a text to those given before by the same option. */
export function collectText(text: string, earlier: readonly string[] = []): string[] {
  return [...earlier, text];
}
