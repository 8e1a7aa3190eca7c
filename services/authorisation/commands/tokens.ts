/** `tokens revoke`: adds an entry to the denylist, which all resource servers follow. */

import type { DenylistEntry } from "@stowage/access-token";
import { addDenylistEntry, prepareDenylist } from "@stowage/access-token/postgres";
import { inTransaction, printText } from "@stowage/process";
import { InvalidArgumentError } from "commander";
import type pg from "pg";
import { findAccountId } from "../store/accounts.ts";
import { endAccess, findValidTokens } from "../store/end-access.ts";
import { revokeSession, withdrawConsents } from "../store/revoke-access.ts";
import { parseLoginName, parseText, parseUuid } from "./arguments.ts";
import { timeText } from "./output.ts";
import { runCommands } from "./run-commands.ts";

interface RevokeOptions {
  jti?: string;
  sid?: string;
  kid?: string;
  subject?: string;
  grant?: string;
  client?: string;
  loginName?: string;
}

/** No claim is longer than the token that contains it. */
const claimBytesMax = 8 * 1024;

/** Tokens live for an hour. Their entries are kept for a day, so that clocks may differ. */
const keptSeconds = 24 * 3600;

const help = `
Exactly one of the first six options selects the tokens. The services refuse them within two
seconds. --sid also ends the session, its grants and its refresh tokens, with and without offline
access. --grant ends a grant with its refresh tokens; --client those of a client, and with
--login-name those that a person has allowed it: it has to ask again. An entry for a key is kept for
ever, since the thief of a key chooses when its tokens expire; the others are kept for a day, which
is longer than any token lives.

Examples:
  stowage tokens revoke --jti 6f1c8a3e-0d1b-4f5e-9a57-1a2b3c4d5e6f
  stowage tokens revoke --client a3f1c9d2-7c4e-4b8a-9f60-2d5e8b1c7a94 --login-name ada@example.com
  stowage tokens revoke --subject urn:svc:user:7`;

function parseClaim(text: string): string {
  if (text === "" || Buffer.byteLength(text) > claimBytesMax || /[\p{Cc}\p{Cs}]/u.test(text)) {
    throw new InvalidArgumentError(`Need 1 to ${claimBytesMax} bytes without control characters.`);
  }
  return text;
}

const oneOf = "need exactly one of --jti, --sid, --kid, --subject, --grant and --client";

/** @param refuse ends the program: wrong usage. */
function entryOf(options: RevokeOptions, refuse: (message: string) => never): DenylistEntry {
  const { jti, sid, kid, subject } = options;
  const given = Object.entries({ jti, sid, kid, sub: subject }).flatMap(([kind, value]) =>
    value === undefined ? [] : [{ kind: kind as "jti" | "sid" | "kid" | "sub", value }],
  );
  const [named] = given;
  if (named === undefined || given.length > 1) {
    return refuse(oneOf);
  }
  const { kind, value } = named;
  if (kind === "kid") return { kind, value };
  const nowSeconds = Math.floor(Date.now() / 1000);
  const expiresAt = nowSeconds + keptSeconds;
  if (kind !== "sub") return { kind, value, expiresAt };
  // The claim `iat` is in whole seconds: this also revokes the tokens of the current second.
  return { kind, value, issuedBefore: nowSeconds + 1, expiresAt };
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

async function revokeGrant(pool: pg.Pool, grantId: string): Promise<string> {
  const isRevoked = await inTransaction(pool, (each) => endAccess(each, { grantId }));
  if (isRevoked) return `revoked grant ${grantId}`;
  throw new Error(`Cannot revoke grant ${grantId}: there is no such grant`);
}

async function revokeAtClient(
  pool: pg.Pool,
  clientId: string,
  loginName: string | undefined,
): Promise<string> {
  if (loginName === undefined) {
    await inTransaction(pool, (connection) => endAccess(connection, { clientId }));
    return `revoked what client ${clientId} has got`;
  }
  const accountId = await findAccountId(pool, loginName);
  if (accountId !== undefined && (await withdrawConsents(pool, accountId, clientId))) {
    return `withdrew what ${loginName} allowed ${clientId}`;
  }
  const what = `Cannot withdraw the consents of ${loginName} to ${clientId}`;
  throw new Error(`${what}: there are none, and no grant`);
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
        "Revokes a token, or all tokens of a session, a key, a subject, a grant or a client.",
      )
      .option("--jti <id>", "the token with this ID", parseClaim)
      .option("--sid <id>", "all tokens of this session", parseClaim)
      .option("--kid <id>", "all tokens signed with this key", parseClaim)
      .option("--subject <urn>", "tokens of this user or service account", parseClaim)
      .option("--grant <id>", "this grant, as `grants list` shows it", parseText)
      .option("--client <id>", "all that this client has got", parseUuid)
      .option("--login-name <name>", "with --client: what this person allowed it", parseLoginName)
      .addHelpText("after", help)
      .action(async (options: RevokeOptions) => {
        const { grant, client, loginName, ...others } = options;
        const refuse = (message: string) => command.error(message);
        const stored = [grant, client].filter((each) => each !== undefined);
        const hasOthers = Object.keys(others).length > 0;
        if (stored.length > 1 || (stored.length === 1 && hasOthers)) refuse(oneOf);
        if (loginName !== undefined && client === undefined) {
          refuse("--login-name goes with --client only");
        }
        const entry = stored.length === 0 ? entryOf(others, refuse) : undefined;
        const outcome = await withPool(async (pool) => {
          await prepareDenylist(pool);
          if (entry !== undefined) return await revoke(pool, entry);
          if (grant !== undefined) return await revokeGrant(pool, grant);
          return await revokeAtClient(pool, String(client), loginName);
        });
        printText(`${outcome}\n`);
      });
  },
);
