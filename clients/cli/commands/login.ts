/** `stowage login`: signs a person in and stores the login. */
import { printable, printText } from "@stowage/process/usage";
import { Command, Option } from "commander";
import * as oauth from "oauth4webapi";
import { baseUrlDefault, plain, readKnown } from "../access/choose-access.ts";
import { discover, issuerError, oauthErrorOf } from "../access/issuer.ts";
import { tokensOf } from "../access/login-token.ts";
import { type StoredLogin, withLoginLocked, writeLogin } from "../access/stored-logins.ts";
import { baseUrlOption, parseUrl } from "../arguments.ts";
import { loginByBrowser } from "../sign-in/browser-login.ts";
import { loginByDevice } from "../sign-in/device-login.ts";
import { cliClientId, type LoginRequest, scopeDefault } from "../sign-in/login-request.ts";
import { browserProgram, openInBrowser } from "../sign-in/open-browser.ts";

interface LoginOptions {
  readonly baseUrl?: string;
  readonly authUrl?: string;
  readonly clientId: string;
  readonly scope: string;
  readonly resource?: string;
  readonly device?: true;
}

const help = `
The command opens a browser on this machine. With --device, over SSH, or where there is no browser,
it shows a code that you enter in a browser on any machine. The commands that call that service (ls,
tree, get, link, token) then use the login, until stowage logout. It is stored in a file that only
you can read, under XDG_STATE_HOME (default: ~/.local/state). You can be signed in to several
services at once.

Examples:
  stowage login
  stowage login --base-url https://uploads.example.com --auth-url https://login.example.com \\
    --device
`;

/** The command, for `main.ts`. */
export function loginCommand(): Command {
  return new Command("login")
    .description("Signs you in, so that other commands can call the services as you.")
    .addOption(baseUrlOption())
    .addOption(
      new Option(
        "--auth-url <url>",
        "the issuer, exactly (default: the one used last with that service)",
      )
        .env("AUTH_URL")
        .argParser(parseUrl),
    )
    .option("--device", "show a code to enter in a browser on any machine")
    .option("--client-id <id>", "ID of the client that this command uses", cliClientId)
    .option("--scope <scope>", "scopes, separated by spaces", scopeDefault)
    .option("--resource <uri>", "service that tokens are for (default: the issuer's choice)")
    .addHelpText("after", help)
    .action(login);
}

async function login(options: LoginOptions): Promise<void> {
  const { baseUrl, authUrl } = await chooseAddresses(options);
  const { clientId, scope, resource } = options;
  try {
    const issuer = await discover(authUrl);
    const request: LoginRequest = {
      issuer,
      client: { client_id: clientId },
      scope,
      resource,
      tell: (text) => printText(text, process.stderr),
    };
    const answer = await signIn(request, options.device === true);
    const login = { authUrl, baseUrl, clientId, ...personOf(answer), ...tokensOf(answer) };
    await withLoginLocked(login, () => writeLogin({ ...login, signedInAtMs: Date.now() }));
    const who = printable(login.name || login.loginName || login.subject);
    printText(`Signed in as ${who} for ${baseUrl}\n`);
  } catch (error) {
    const act = `Cannot sign in at ${authUrl}`;
    if (oauthErrorOf(error) !== "invalid_client") throw issuerError(act, error, "--auth-url");
    throw new Error(
      `${act}: the issuer does not know the client ${clientId}; its operator must register it: ` +
        'see "For operators" in docs/signing-in.md',
    );
  }
}

async function signIn(
  request: LoginRequest,
  isDevice: boolean,
): Promise<oauth.TokenEndpointResponse> {
  const program = isDevice ? undefined : browserProgram(process.env, process.platform);
  if (program === undefined) return await loginByDevice(request);
  const answer = await loginByBrowser(request, (url) => openInBrowser(program, url));
  return answer ?? (await loginByDevice(request));
}

/** Default: the service that was signed in to or started last, and the issuer used with it. */
async function chooseAddresses(options: LoginOptions) {
  const { logins, local, lastBaseUrl } = await readKnown();
  const baseUrl = plain(options.baseUrl ?? lastBaseUrl ?? baseUrlDefault);
  const known = [...logins, local].filter((each) => each !== undefined);
  const used = known.find((each) => plain(each.baseUrl) === baseUrl)?.authUrl;
  const authUrl = options.authUrl ?? used ?? (baseUrl === baseUrlDefault ? authUrlDefault : used);
  if (authUrl === undefined) {
    throw new Error(`Cannot sign in to ${baseUrl}: give its issuer with --auth-url`);
  }
  return { baseUrl, authUrl };
}

const authUrlDefault = "http://127.0.0.1:8081";

/**
 * The person who has signed in. The ID token needs no check of its signature, because the issuer
 * sent it over a direct connection (OpenID Connect Core, 3.1.3.7).
 */
function personOf(
  answer: oauth.TokenEndpointResponse,
): Pick<StoredLogin, "subject" | "name" | "loginName"> {
  if (answer.refresh_token === undefined) {
    throw new Error("the issuer gave no refresh token: the client needs the grant refresh-token");
  }
  const claims = oauth.getValidatedIdTokenClaims(answer);
  const textOf = (claim: unknown) => (typeof claim === "string" ? claim : "");
  return {
    subject: textOf(claims?.sub),
    name: textOf(claims?.name),
    loginName: textOf(claims?.preferred_username),
  };
}
