/** Unicode normalisation form C: how names are compared by case. */
export function normaliseName(name: string): string {
  return name.normalize("NFC");
}

/**
 * How names are compared regardless of case: form C, then lower case. The final sigma becomes a
 * plain one: JavaScript chooses between the two by the letters around, which differ between a name
 * and a piece of it.
 */
export function foldName(name: string): string {
  return normaliseName(name).toLowerCase().replaceAll("ς", "σ");
}
