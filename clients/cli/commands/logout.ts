/** `stowage logout`: ends a login, here and at the issuer. */
import { printText } from "@stowage/process/usage";
import { Command, Option } from "commander";
import * as oauth from "oauth4webapi";
import { plain } from "../access/choose-access.ts";
import { discover, httpOptions, issuerError } from "../access/issuer.ts";
import {
  listLogins,
  readLogin,
  removeLogin,
  type StoredLogin,
  withLoginLocked,
} from "../access/stored-logins.ts";
import { parseUrl } from "../arguments.ts";
import { reportFailure } from "../command-line.ts";

interface LogoutOptions {
  readonly baseUrl?: string;
  readonly all?: true;
}

const help = `
The command revokes the login's tokens at the issuer and removes its file. If the issuer cannot be
reached, it removes the file all the same, and says so.

Example:
  stowage logout --all
`;

/** The command, for `main.ts`. */
export function logoutCommand(): Command {
  return new Command("logout")
    .description("Ends your login and revokes its tokens.")
    .addOption(
      new Option("--base-url <url>", "the service to sign out of (default: the last login)")
        .env("BASE_URL")
        .argParser(parseUrl),
    )
    .option("--all", "end all logins")
    .addHelpText("after", help)
    .action(logout);
}

async function logout(options: LogoutOptions): Promise<void> {
  const logins = chosen(await listLogins(), options);
  if (logins.length === 0) throw new Error("Cannot sign out: you are not signed in");
  for (const login of logins) {
    try {
      await end(login);
      printText(`Signed out of ${login.baseUrl}\n`);
    } catch (error) {
      reportFailure(error);
    }
  }
}

function chosen(logins: readonly StoredLogin[], { baseUrl, all }: LogoutOptions): StoredLogin[] {
  if (all) return [...logins];
  if (baseUrl === undefined) return logins.slice(0, 1);
  return logins.filter((login) => login.baseUrl === plain(baseUrl));
}

/** A command that renews the login at the same time must not store it again. */
async function end(login: StoredLogin): Promise<void> {
  await withLoginLocked(login, async () => {
    const current = (await readLogin(login)) ?? login;
    await removeLogin(login);
    try {
      await revoke(current);
    } catch (error) {
      const { baseUrl, authUrl } = login;
      const act = `The login for ${baseUrl} is removed here, but ${authUrl} has not ended it`;
      throw issuerError(act, error);
    }
  });
}

async function revoke({ authUrl, clientId, refreshToken }: StoredLogin): Promise<void> {
  const issuer = await discover(authUrl);
  const client = { client_id: clientId };
  const response = await oauth.revocationRequest(
    issuer,
    client,
    oauth.None(),
    refreshToken,
    httpOptions(),
  );
  await oauth.processRevocationResponse(response);
}
