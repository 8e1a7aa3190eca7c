/** HTML templates that escape every value. */

/** Text that is HTML already. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The values of a template: lists are joined; false and undefined are empty. */
type Value = Html | string | number | false | undefined | readonly Value[];

/** Makes HTML: html`<p>${anything}</p>`. Values of attributes need double quotes. */
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
