/**
 * Structured logs: JSON lines on stderr, times in UTC, levels as words.
 *
 * Secrets are kept out twice: known members are removed, and the finished line is searched for what
 * looks like a credential, since one may hide in a message or a stack.
 */
import { type Logger, pino } from "pino";

export type { Logger };

/** @param options.level Least severity logged; default "info", "silent" logs nothing. */
export function createLogger(options: { name: string; level?: string | undefined }): Logger {
  return pino(
    {
      name: options.name,
      level: options.level ?? "info",
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: secretPaths, censor: removed },
      hooks: { streamWrite: removeCredentials },
    },
    // Written at once: the lines before a crash are the ones that matter.
    pino.destination({ dest: 2, sync: true }),
  );
}

const removed = "[removed]";

const secretMembers = [
  "authorization",
  "cookie",
  "password",
  "secret",
  "token",
  "accessToken",
  "clientSecret",
  "client_secret",
  "databaseUrl",
];

const secretPaths = secretMembers.flatMap((member) => [
  member,
  `*.${member}`,
  `*.*.${member}`,
  `*.*.*.${member}`,
]);

/** Credentials inside addresses, bearer and basic credentials, and JSON Web Tokens. */
const credentials = new RegExp(
  [
    /(?<=:\/\/)[^/\s"@]{1,1024}(?=@)/,
    /(?<=\b(?:bearer|basic) )[\w.~+/=-]{8,}/,
    /\beyJ[\w-]+\.[\w-]+\.[\w-]*/,
  ]
    .map((form) => form.source)
    .join("|"),
  "gi",
);

function removeCredentials(line: string): string {
  return line.replace(credentials, removed);
}
