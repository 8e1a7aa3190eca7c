/** `accounts sign-in-link`: makes a link that signs a person in once. */
import { reachableUrl, readSettings } from "@stowage/process";
import type { Command } from "commander";
import type pg from "pg";
import { isPrivateUse } from "../model/client-uris.ts";
import { providerPaths } from "../model/paths.ts";
import { subjectOf } from "../model/subjects.ts";
import { linkCommandSettings } from "../settings.ts";
import { type Account, findAccountByLoginName } from "../store/accounts.ts";
import { recordEvent } from "../store/audit-events.ts";
import { findReturnUris } from "../store/clients.ts";
import { addSignInLink, signInLinkSeconds } from "../store/sign-in-links.ts";
import { parseLoginName, parseWebAddress } from "./arguments.ts";
import { labelledLines, print, timeText } from "./output.ts";
import type { Environment, WithPool } from "./run-commands.ts";

const help = `
The link is for the service at AUTH_URL (or HOST and PORT). The first person who opens it is
signed in, so give it to nobody else. An account has at most 10 links; another one ends the oldest.

Example:
  stowage accounts sign-in-link --login-name ada@example.com --return https://files.example.com/`;

interface LinkOptions {
  loginName: string;
  return?: string;
  json?: true;
}

export function defineSignInLink(
  command: Command,
  withPool: WithPool,
  environment: Environment,
): void {
  command
    .description("Makes a link that signs a person in once, within 10 minutes.")
    .requiredOption("--login-name <name>", "whose account", parseLoginName)
    .option(
      "--return <url>",
      "where it leads: an address on the site of a client of the account's organisation " +
        "(default: the page of the account)",
      parseWebAddress,
    )
    .option("--json", "print one JSON object")
    .addHelpText("after", help)
    .action(async ({ loginName, return: asked, json }: LinkOptions) => {
      const { authUrl: given, host, port } = readSettings(linkCommandSettings, environment);
      const authUrl = given ?? reachableUrl(host, port);
      const returnTo = asked ?? authUrl + providerPaths.account;
      const { accountId, secret } = await withPool(async (pool) => {
        const account = await findAccountByLoginName(pool, loginName);
        if (account === undefined) throw noAccount(loginName);
        if (asked !== undefined) await requireReturnUri(pool, account, asked);
        return await make(pool, account, returnTo);
      });
      const link = `${authUrl}${providerPaths.signInLink}?key=${secret}`;
      const expiresAt = timeText(Date.now() + signInLinkSeconds * 1000);
      const text = () =>
        labelledLines([
          ["signs in", loginName],
          ["leads to", returnTo],
          ["good until", expiresAt],
          ["link", link],
        ]);
      print({ link, accountId, loginName, returnTo, expiresAt }, text, json);
    });
}

function noAccount(loginName: string): Error {
  return new Error(
    `Cannot make a link for ${loginName}: there is no such account, or it is disabled`,
  );
}

async function make(pool: pg.Pool, { accountId, loginName }: Account, returnTo: string) {
  const secret = await addSignInLink(pool, { accountId, returnTo });
  if (secret === undefined) throw noAccount(loginName);
  const details = { returnTo };
  await recordEvent(pool, { kind: "sign_in_link_made", subject: subjectOf(accountId), details });
  return { accountId, secret };
}

/** A person must end up at a site that an operator has registered. */
async function requireReturnUri(
  pool: pg.Pool,
  { organisationId, loginName }: Account,
  returnTo: string,
): Promise<void> {
  const uris = await findReturnUris(pool, organisationId);
  const sites = new Set(uris.filter((uri) => !isPrivateUse(uri)).map((uri) => new URL(uri).origin));
  if (sites.has(new URL(returnTo).origin)) return;
  const known = sites.size === 0 ? "there is none yet" : [...sites].sort().join(", ");
  throw new Error(
    `Cannot make a link for ${loginName} to ${returnTo}: need the site of a redirect URI of a ` +
      `client of the organisation "${organisationId}" (${known})`,
  );
}
