/** The page that keeps the last figures of every benchmark, each between two marks of its own. */

/** The page with these figures in the place of the benchmark's last ones. */
export function withFigures(page: string, benchmark: string, figures: string): string {
  const place = new RegExp(
    `(?<=<!-- bench:${benchmark} -->\n).*?(?=<!-- /bench:${benchmark} -->)`,
    "s",
  );
  if (!place.test(page)) {
    throw new Error(`Cannot keep the figures of ${benchmark}: the page has no place for them`);
  }
  return page.replace(place, () => `\n${figures.trim()}\n\n`);
}
