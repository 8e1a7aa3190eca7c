/** HTML from templates in which every value is escaped, so that nothing can be forgotten. */

/** Text that is HTML already. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What may stand in a template: lists are joined, and false and undefined leave nothing. */
type Value = Html | string | number | false | undefined | readonly Value[];

/** Makes HTML: html`<p>${anything}</p>`. Values in attributes must stand in double quotes. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  const text = parts.reduce((before, part, index) => before + toText(values[index - 1]) + part);
  return new Html(text);
}

function toText(value: Value): string {
  if (value === undefined || value === false) return "";
  if (value instanceof Html) return value.text;
  if (Array.isArray(value)) return value.map(toText).join("");
  return String(value).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
