import { InvalidArgumentError } from "commander";

/** An http or https address, exactly as given. */
export function parseUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !["http:", "https:"].includes(url.protocol) || /[?#\s]/.test(text)) {
    throw new InvalidArgumentError("Need an http or https address without query and fragment.");
  }
  return text;
}
