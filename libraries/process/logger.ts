/**
 * Structured logs: JSON lines on stderr, times in UTC, levels as words.
 *
 * Secrets are removed twice: known members by name, and then anything in the finished line that
 * looks like a credential, since a message or a stack may contain one.
 */
import { type Logger, pino } from "pino";
import { LogDestination } from "./log-destination.ts";

export type { Logger };

/** @param options.level Lowest severity that is logged, default "info"; "silent" logs nothing. */
export function createLogger(options: { name: string; level?: string | undefined }): Logger {
  const destination = stderr();
  const logger = pino(
    {
      name: options.name,
      level: options.level ?? "info",
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      hooks: { streamWrite: removeSecrets },
    },
    destination,
  );
  destination.onDropped = (count) => {
    logger.warn({ count }, "log lines were dropped, since stderr was not read");
  };
  return logger;
}

/** Writes a text to stderr after all log lines so far. */
export function writeToStderr(text: string): void {
  stderr().write(text);
}

function stderr(): LogDestination {
  shared ??= new LogDestination();
  return shared;
}

let shared: LogDestination | undefined;

const removed = "[removed]";

/** Without `code`: authorisation codes are not logged, but errors have codes, which must show. */
const secretMembers = [
  "authorization",
  "cookie",
  "password",
  "secret",
  "token",
  "accessToken",
  "refreshToken",
  "refresh_token",
  "idToken",
  "assertion",
  "clientSecret",
  "client_secret",
  "databaseUrl",
];

const secretMember = new RegExp(`"(?:${secretMembers.join("|")})":`);

/** Passwords in URLs, bearer and basic credentials, and JSON Web Tokens. */
const credentials = new RegExp(
  [
    // Up to the last @, as URLs are parsed. A quote in a password is escaped in the line.
    /(?<=:\/\/)(?:[^/?#\s"\\]|\\.){1,1024}(?=@)/,
    /(?<=\b(?:bearer|basic) )[\w.~+/=-]{8,}/,
    // The lengths are bounded so that a line full of beginnings takes no longer than others.
    /\beyJ[\w-]{1,1024}\.[\w-]{1,8192}\.[\w-]*/,
  ]
    .map((form) => form.source)
    .join("|"),
  "gi",
);

function removeSecrets(line: string): string {
  return removeSecretMembers(line).replace(credentials, removed);
}

/** In a JSON text, the quotes before and after a name are those of a member: others are escaped. */
function removeSecretMembers(line: string): string {
  if (!secretMember.test(line)) return line;
  const isSecret = (name: string) => secretMembers.includes(name);
  const kept = JSON.parse(line, (name, value) => (isSecret(name) ? removed : value));
  return `${JSON.stringify(kept)}\n`;
}
