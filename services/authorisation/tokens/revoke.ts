/** `tokens revoke`: writes a denylist entry, which every server that reads the list obeys. */
import type { DenylistEntry } from "@stowage/access-token";
import { addDenylistEntry, prepareDenylist } from "@stowage/access-token/postgres";
import { Command } from "commander";
import type { WithPool } from "../store/with-pool.ts";
import { parseClaim, parseHours, parseMoment } from "./arguments.ts";

interface RevokeOptions {
  jti?: string;
  sid?: string;
  kid?: string;
  subject?: string;
  issuedBefore?: number;
  keepHours?: number;
}

/** Tokens live an hour; what revokes them is kept a day, so that no clock makes it too short. */
const keepHoursDefault = 24;

const help = `
Exactly one of --jti, --sid, --kid and --subject says which tokens. The services refuse them within
two seconds. An entry for a key is kept for ever, since whoever stole the key chooses when its
tokens expire; the others are kept for a day, which is longer than any token lives.

Examples:
  stowage tokens revoke --jti 6f1c8a3e-0d1b-4f5e-9a57-1a2b3c4d5e6f
  stowage tokens revoke --subject urn:svc:user:7 --issued-before 2026-11-21T12:00:00Z
`;

/** The command, for `main.ts`. */
export function revokeCommand(withPool: WithPool): Command {
  const command = new Command("revoke")
    .description("Revokes a token, all tokens of a session or a key, or older ones of a subject.")
    .option("--jti <id>", "the token with this ID", parseClaim)
    .option("--sid <id>", "all tokens of this session", parseClaim)
    .option("--kid <id>", "all tokens signed with this key", parseClaim)
    .option("--subject <urn>", "tokens of this user or service account", parseClaim)
    .option("--issued-before <time>", "with --subject: issued before (default: now)", parseMoment)
    .option("--keep-hours <hours>", "how long the entry is kept", parseHours)
    .addHelpText("after", help);
  return command.action(async (options: RevokeOptions) => {
    const entry = entryOf(options, (message) => command.error(`error: ${message}`));
    await withPool(async (pool) => {
      await prepareDenylist(pool);
      await addDenylistEntry(pool, entry);
    });
    process.stdout.write(`${describe(entry)}\n`);
  });
}

/** @param refuse ends the program: wrong usage. */
function entryOf(options: RevokeOptions, refuse: (message: string) => never): DenylistEntry {
  const { jti, sid, kid, subject, issuedBefore, keepHours } = options;
  const given = Object.entries({ jti, sid, kid, sub: subject }).flatMap(([kind, value]) =>
    value === undefined ? [] : [{ kind: kind as DenylistEntry["kind"], value }],
  );
  const [named] = given;
  if (named === undefined || given.length > 1) {
    return refuse("need exactly one of --jti, --sid, --kid and --subject");
  }
  if (issuedBefore !== undefined && named.kind !== "sub") {
    return refuse("--issued-before goes with --subject only");
  }
  const nowSeconds = Math.floor(Date.now() / 1000);
  const hours = keepHours ?? (named.kind === "kid" ? undefined : keepHoursDefault);
  const expiry = hours === undefined ? {} : { expiresAt: nowSeconds + hours * 3600 };
  if (named.kind !== "sub") return { kind: named.kind, value: named.value, ...expiry };
  // A token's time of issue is in whole seconds: those of this second are revoked too.
  return {
    kind: "sub",
    value: named.value,
    issuedBefore: issuedBefore ?? nowSeconds + 1,
    ...expiry,
  };
}

function describe(entry: DenylistEntry): string {
  const name = { jti: "token", sid: "session", kid: "key", sub: "subject" }[entry.kind];
  const which = entry.kind === "sub" ? ` issued before ${timeText(entry.issuedBefore)}` : "";
  const until = entry.expiresAt === undefined ? "for ever" : `until ${timeText(entry.expiresAt)}`;
  return `revoked ${name} ${JSON.stringify(entry.value)}${which}; the entry is kept ${until}`;
}

function timeText(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(".000Z", "Z");
}
