/** What may be given on the command line, checked where it is read. */
import { isUuid } from "@stowage/process";
import { InvalidArgumentError } from "commander";

/** Identifiers and names end up in every token, and a token is at most 8 KiB. */
const identifierCharactersMax = 128;
const scopeCharactersMax = 2048;

/** An organisation's or an application's identifier: any text that fits on a line. */
export function parseIdentifier(text: string): string {
  return requireLine(text, 1);
}

/** What people call a client. */
export function parseName(text: string): string {
  return requireLine(text, 0);
}

/** A client's identifier. */
export function parseClientId(text: string): string {
  if (!isUuid(text)) throw new InvalidArgumentError("Need a UUID.");
  return text.toLowerCase();
}

/** Adds a scope (RFC 6749 section 3.3) to those given before. */
export function collectScope(text: string, earlier: readonly string[] = []): string[] {
  if (!/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(text)) {
    throw new InvalidArgumentError('Need one scope of printable ASCII without spaces, " and \\.');
  }
  const scopes = [...new Set([...earlier, text])];
  if (scopes.join(" ").length > scopeCharactersMax) {
    throw new InvalidArgumentError(`Need at most ${scopeCharactersMax} characters in all.`);
  }
  return scopes;
}

function requireLine(text: string, charactersMin: number): string {
  const length = [...text].length;
  if (length < charactersMin || length > identifierCharactersMax || /[\p{Cc}\p{Cs}]/u.test(text)) {
    throw new InvalidArgumentError(
      `Need ${charactersMin} to ${identifierCharactersMax} characters without control characters.`,
    );
  }
  return text;
}
