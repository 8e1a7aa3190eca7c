/**
 * The account that `npm start` makes, so that people can look at the page without preparation, and
 * the link that signs in with it.
 */
import { randomBytes } from "node:crypto";
import { commonEnvironment } from "./environment.ts";
import type { ProgramGroup } from "./program-group.ts";

interface DemoAccount {
  readonly loginName: string;
  readonly isDisabled: boolean;
}

interface ListedAccount {
  readonly loginName: string;
  readonly organisationId: string;
  readonly disabledAt: string | null;
}

/**
 * The demo account of the organisation; a new one if it has none. Nobody knows its password: people
 * sign in with the link, or set a password with `stowage accounts set-password`.
 */
export async function ensureDemoAccount(
  programs: ProgramGroup,
  organisationId: string,
): Promise<DemoAccount> {
  const environment = commonEnvironment(process.env);
  const { stdout } = await programs.run("accounts", ["list", "--json"], environment);
  const listed = JSON.parse(stdout || "[]") as ListedAccount[];
  // Login names are unique across organisations, which may share a database.
  const names = ["demo", `demo-${organisationId.slice(0, 8).toLowerCase()}`];
  const found = listed.find(
    (account) => account.organisationId === organisationId && names.includes(account.loginName),
  );
  if (found !== undefined) {
    return { loginName: found.loginName, isDisabled: found.disabledAt !== null };
  }
  const isFree = (name: string) => listed.every(({ loginName }) => loginName !== name);
  const loginName = names.find(isFree) ?? `demo-${organisationId.toLowerCase()}`;
  const identity = ["--organisation", organisationId, "--login-name", loginName];
  const { exitCode } = await programs.run(
    "accounts",
    ["add", ...identity, "--name", "Demo", "--password-file", "-"],
    environment,
    { input: randomBytes(32).toString("base64url") },
  );
  if (exitCode !== 0) throw new Error(`Cannot add the account ${loginName}: see above`);
  return { loginName, isDisabled: false };
}

/** Makes a link that signs in with the account once, and leads to the page. */
export async function makeSignInLink(
  programs: ProgramGroup,
  { loginName }: DemoAccount,
  { authUrl, pageUrl }: { readonly authUrl: string; readonly pageUrl: string },
): Promise<string> {
  const { exitCode, stdout } = await programs.run(
    "accounts",
    ["sign-in-link", "--login-name", loginName, "--return", returnOf(pageUrl), "--json"],
    { ...commonEnvironment(process.env), AUTH_URL: authUrl },
  );
  if (exitCode !== 0) throw new Error("Cannot make a link that signs in: see above");
  return (JSON.parse(stdout) as { link: string }).link;
}

/** Where a link leads: there the page's server begins a session of its own and shows the page. */
export function returnOf(pageUrl: string): string {
  return `${pageUrl}/sign-in`;
}
