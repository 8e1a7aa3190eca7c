/** `tokens revoke`: adds an entry to the denylist, which all resource servers follow. */

import type { DenylistEntry } from "@stowage/access-token";
import { addDenylistEntry, prepareDenylist } from "@stowage/access-token/postgres";
import { printText } from "@stowage/process";
import { InvalidArgumentError } from "commander";
import type pg from "pg";
import { findValidTokens } from "../store/end-access.ts";
import { revokeAuthorisation, revokeSession } from "../store/revoke-access.ts";
import { parseSecond, parseUuid, wholeNumber } from "./arguments.ts";
import { timeText } from "./output.ts";
import { runCommands } from "./run-commands.ts";

interface RevokeOptions {
  jti?: string;
  sid?: string;
  kid?: string;
  subject?: string;
  authorisation?: string;
  issuedBefore?: number;
  keepHours?: number;
}

/** No claim is longer than the token that contains it. */
const claimBytesMax = 8 * 1024;

/** Tokens live for an hour. Their entries are kept for a day, so that clocks may differ. */
const keepHoursDefault = 24;
const keepHoursMax = 24 * 366;

const help = `
Exactly one of --jti, --sid, --kid, --subject and --authorisation selects the tokens. The services
refuse them within two seconds. --sid also ends the session, its grants and its refresh tokens, with
and without offline access. --authorisation takes an ID of the audit log, and also revokes the grant
that the token rests on. An entry for a key is kept for ever, since the thief of a key chooses when
its tokens expire; the others are kept for a day, which is longer than any token lives.

Examples:
  stowage tokens revoke --jti 6f1c8a3e-0d1b-4f5e-9a57-1a2b3c4d5e6f
  stowage tokens revoke --authorisation 0d1b8a3e-6f1c-4f5e-9a57-1a2b3c4d5e6f
  stowage tokens revoke --subject urn:svc:user:7 --issued-before 2026-11-21T12:00:00Z`;

function parseClaim(text: string): string {
  if (text === "" || Buffer.byteLength(text) > claimBytesMax || /[\p{Cc}\p{Cs}]/u.test(text)) {
    throw new InvalidArgumentError(`Need 1 to ${claimBytesMax} bytes without control characters.`);
  }
  return text;
}

/** @param refuse ends the program: wrong usage. */
function entryOf(options: RevokeOptions, refuse: (message: string) => never): DenylistEntry {
  const { jti, sid, kid, subject, issuedBefore, keepHours } = options;
  const given = Object.entries({ jti, sid, kid, sub: subject }).flatMap(([kind, value]) =>
    value === undefined ? [] : [{ kind: kind as "jti" | "sid" | "kid" | "sub", value }],
  );
  const [named] = given;
  if (named === undefined || given.length > 1) {
    return refuse("need exactly one of --jti, --sid, --kid, --subject and --authorisation");
  }
  const { kind, value } = named;
  if (issuedBefore !== undefined && kind !== "sub") {
    return refuse("--issued-before goes with --subject only");
  }
  const nowSeconds = Math.floor(Date.now() / 1000);
  const hours = keepHours ?? (kind === "kid" ? undefined : keepHoursDefault);
  const expiry = hours === undefined ? {} : { expiresAt: nowSeconds + hours * 3600 };
  if (kind !== "sub") return { kind, value, ...expiry };
  // The claim `iat` is in whole seconds: this also revokes the tokens of the current second.
  return { kind, value, issuedBefore: issuedBefore ?? nowSeconds + 1, ...expiry };
}

function describe(entry: DenylistEntry): string {
  const names = { jti: "token", sid: "session", kid: "key", sub: "subject", client: "client" };
  const name = names[entry.kind];
  const time = (seconds: number) => timeText(seconds * 1000);
  const which = entry.kind === "sub" ? ` issued before ${time(entry.issuedBefore)}` : "";
  const until = entry.expiresAt === undefined ? "for ever" : `until ${time(entry.expiresAt)}`;
  return `revoked ${name} ${JSON.stringify(entry.value)}${which}; the entry is kept ${until}`;
}

/** Revokes what an entry stands for, so that no refresh brings it back. */
async function revoke(pool: pg.Pool, entry: DenylistEntry): Promise<string> {
  await addDenylistEntry(pool, entry);
  if (entry.kind === "jti") {
    const search = findValidTokens(pool, "token_id::text = $1", [entry.value]);
    // The token is revoked, whatever the audit log says.
    const found = await search.catch(() => undefined);
    const warning = "\nthe audit log has no token with this ID that may still be valid";
    return describe(entry) + (found?.length === 0 ? warning : "");
  }
  if (entry.kind !== "sid") return describe(entry);
  const grants = await revokeSession(pool, entry.value);
  return `${describe(entry)}\nended the session and ${grants} ${grants === 1 ? "grant" : "grants"}`;
}

async function revokeRecorded(pool: pg.Pool, authorisationId: string): Promise<string> {
  if (await revokeAuthorisation(pool, authorisationId)) {
    return `revoked the token of ${authorisationId}, and the grant that it rests on`;
  }
  throw new Error(`Cannot revoke ${authorisationId}: it is not on record`);
}

await runCommands(
  {
    name: "tokens",
    description: "Revokes access tokens before they expire.",
    examples: ["stowage tokens revoke --jti 6f1c8a3e-0d1b-4f5e-9a57-1a2b3c4d5e6f"],
  },
  (program, withPool) => {
    const command = program.command("revoke");
    command
      .description(
        "Revokes a token, or all tokens of a session, of a key, or of a subject up to a time.",
      )
      .option("--jti <id>", "the token with this ID", parseClaim)
      .option("--sid <id>", "all tokens of this session", parseClaim)
      .option("--kid <id>", "all tokens signed with this key", parseClaim)
      .option("--subject <urn>", "tokens of this user or service account", parseClaim)
      .option("--authorisation <id>", "the token of this entry in the audit log", parseUuid)
      .option("--issued-before <time>", "with --subject: issued before (default: now)", parseSecond)
      .option(
        "--keep-hours <hours>",
        "how long the entry is kept",
        wholeNumber(keepHoursMax, "of hours "),
      )
      .addHelpText("after", help)
      .action(async (options: RevokeOptions) => {
        const { authorisation, ...others } = options;
        const refuse = (message: string) => command.error(message);
        const entry =
          authorisation === undefined || Object.keys(others).length > 0
            ? entryOf(others, refuse)
            : undefined;
        if (entry !== undefined && authorisation !== undefined) {
          refuse("--authorisation goes with no other option");
        }
        const outcome = await withPool(async (pool) => {
          await prepareDenylist(pool);
          if (entry !== undefined) return await revoke(pool, entry);
          return await revokeRecorded(pool, String(authorisation));
        });
        printText(`${outcome}\n`);
      });
  },
);
