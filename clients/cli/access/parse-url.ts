import { InvalidArgumentError } from "commander";

/** Whether a text is an http or https address without query and fragment. */
export function isPlainUrl(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && !/[?#\s]/.test(text);
}

/** Reads such an address from the command line, exactly as given. */
export function parseUrl(text: string): string {
  if (isPlainUrl(text)) return text;
  throw new InvalidArgumentError("Need an http or https address without query and fragment.");
}
