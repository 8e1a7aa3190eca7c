/** Checks the arguments of the commands. A wrong argument ends the program with exit code 2. */
import { isUuid } from "@stowage/process";
import { InvalidArgumentError } from "commander";
import { loginNameCharactersMax, normaliseLoginName } from "../model/credentials.ts";

/** Identifiers and names are in every token, and a token has at most 8 KiB. */
const identifierCharactersMax = 128;
const textCharactersMax = 512;
const addressCharactersMax = 2048;
/** RFC 5321 section 4.5.3.1.3. */
const emailCharactersMax = 254;

/** The identifier of an organisation or an application: any text on one line. */
export function parseIdentifier(text: string): string {
  return requireLine(text, 1, identifierCharactersMax);
}

/** A display name; may be empty. */
export function parseName(text: string): string {
  return requireLine(text, 0, identifierCharactersMax);
}

/** A subject or an organisation to search for. */
export function parseText(text: string): string {
  return requireLine(text, 1, textCharactersMax);
}

function requireLine(text: string, charactersMin: number, charactersMax: number): string {
  const length = [...text].length;
  if (length < charactersMin || length > charactersMax || /[\p{Cc}\p{Cs}]/u.test(text)) {
    throw new InvalidArgumentError(
      `Need ${charactersMin} to ${charactersMax} characters without control characters.`,
    );
  }
  return text;
}

/** A login name, in any case. */
export function parseLoginName(text: string): string {
  const name = normaliseLoginName(text);
  if (name === undefined) {
    throw new InvalidArgumentError(
      `Need 1 to ${loginNameCharactersMax} characters without spaces.`,
    );
  }
  return name;
}

/** An e-mail address; an empty text is none. Only its form is checked: nobody writes to it. */
export function parseEmail(text: string): string {
  const isEmail = /^[^\s@\p{Cc}\p{Cs}]+@[^\s@\p{Cc}\p{Cs}]+$/u.test(text);
  if (text !== "" && (!isEmail || text.length > emailCharactersMax)) {
    throw new InvalidArgumentError(
      `Need an address such as ada@example.com, of at most ${emailCharactersMax} characters.`,
    );
  }
  return text;
}

/** An address that a browser can open, in the form that the URL parser gives it. */
export function parseWebAddress(text: string): string {
  const url = text.length <= addressCharactersMax ? URL.parse(text) : null;
  const isWeb = url?.protocol === "https:" || url?.protocol === "http:";
  if (url === null || !isWeb || url.username !== "" || url.password !== "") {
    throw new InvalidArgumentError(
      "Need an http or https address without user and password, of at most " +
        `${addressCharactersMax} characters.`,
    );
  }
  return url.href;
}

/** A UUID, in any case. */
export function parseUuid(text: string): string {
  if (!isUuid(text)) throw new InvalidArgumentError("Need a UUID.");
  return text.toLowerCase();
}

const rowsMax = 1000;

/** The option of a list that says how many rows it shows at most. */
export function limitOption(rowsDefault = 100) {
  return ["--limit <count>", "how many to show", parseLimit, rowsDefault] as const;
}

function parseLimit(text: string): number {
  const number = Number(text);
  if (!/^\d{1,5}$/.test(text) || number < 1 || number > rowsMax) {
    throw new InvalidArgumentError(`Need a whole number from 1 to ${rowsMax}.`);
  }
  return number;
}

const rfc3339 = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2}))?$/i;
const midnight = "T00:00:00Z";

/** A time (RFC 3339), or a day, which begins at midnight in UTC. */
export function parseTime(text: string): Date {
  const [, day = "", time = midnight] = rfc3339.exec(text) ?? [];
  const parsed = new Date(day + time);
  if (isDay(day) && !Number.isNaN(parsed.getTime())) return parsed;
  throw new InvalidArgumentError("Need a day or a time such as 2026-11-21T12:00:00Z.");
}

/** Date reads 30 February as 2 March. */
function isDay(day: string): boolean {
  const time = new Date(day + midnight);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(day);
}
