/**
 * The same text in memory of its own, for what is kept. A text that was cut out of a larger one,
 * such as the body of a request, can keep the whole of that in memory as long as it lives itself.
 *
 * @param text ASCII
 */
export function ownCopy(text: string): string {
  return Buffer.from(text, "latin1").toString("latin1");
}
