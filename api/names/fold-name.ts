/** The forms in which names are compared: docs/decisions/0009-name-matching.md. */

/** The form of names in comparisons with regard to case: Unicode normalisation form C. */
export function normaliseName(name: string): string {
  return name.normalize("NFC");
}

/**
 * The form of names in comparisons without regard to case: form C, then lower case. A final sigma
 * becomes a sigma: JavaScript chooses between the two by the letters around, which differ between a
 * name and a part of it.
 */
export function foldName(name: string): string {
  return normaliseName(name).toLowerCase().replaceAll("ς", "σ");
}
