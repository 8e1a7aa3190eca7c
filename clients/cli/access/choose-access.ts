/** Which service a command calls, and with whose token. */
import {
  dataDirOf,
  type LocalClient,
  localClientStoredAtMs,
  readLocalClient,
} from "./local-client.ts";
import { tokenOfLogin } from "./login-token.ts";
import { requestToken } from "./request-token.ts";
import { listLogins, type StoredLogin } from "./stored-logins.ts";

export interface ConnectionOptions {
  readonly baseUrl?: string;
  readonly token?: string;
}

interface AccessOptions extends ConnectionOptions {
  /** Only a login at this issuer, or the client that `npm start` made there. Default: any. */
  readonly authUrl?: string;
}

export interface Access {
  readonly baseUrl: string;
  readonly accessToken: string;
  /** Where the token comes from. */
  readonly source: "given" | "login" | "local-client";
  /** Set if the token is from a login. */
  readonly login?: StoredLogin;
}

export const baseUrlDefault = "http://127.0.0.1:8080";

/** The addresses and credentials that commands can choose from. */
interface Known {
  /** The newest first. */
  readonly logins: readonly StoredLogin[];
  readonly local: LocalClient | undefined;
  /** The service that was signed in to or started last. */
  readonly lastBaseUrl: string | undefined;
}

export async function readKnown(authUrl?: string): Promise<Known> {
  const isKnown = (each: { readonly authUrl: string }) =>
    authUrl === undefined || each.authUrl === authUrl;
  const dataDir = dataDirOf(process.env);
  const local = [await readLocalClient(dataDir)].find(
    (each) => each !== undefined && isKnown(each),
  );
  const startedAtMs = (await localClientStoredAtMs(dataDir)) ?? 0;
  const logins = (await listLogins()).filter(isKnown);
  const [login] = logins;
  const isLoginLast =
    login !== undefined && (local === undefined || login.signedInAtMs > startedAtMs);
  return { logins, local, lastBaseUrl: isLoginLast ? login.baseUrl : local?.baseUrl };
}

/**
 * The address is the given one, or the one that was signed in to or started last. The token is the
 * given one, or that of a login for exactly this address, or one for the client of `npm start`.
 */
export async function chooseAccess(options: AccessOptions): Promise<Access> {
  const { authUrl } = options;
  const { logins, local, lastBaseUrl } = await readKnown(authUrl);
  const baseUrl = plain(options.baseUrl ?? lastBaseUrl ?? baseUrlDefault);
  if (options.token !== undefined) {
    return { baseUrl, accessToken: options.token, source: "given" };
  }
  // Never send a token to another service than the one that it is for.
  const found = logins.find((login) => login.baseUrl === baseUrl);
  if (found !== undefined) {
    const login = await tokenOfLogin(found);
    return { baseUrl, accessToken: login.accessToken, source: "login", login };
  }
  if (local !== undefined && plain(local.baseUrl) === baseUrl) {
    const { accessToken } = await requestToken(local);
    return { baseUrl, accessToken, source: "local-client" };
  }
  if (authUrl !== undefined) {
    throw new Error(
      `Cannot find an access token of ${authUrl} for ${baseUrl}: sign in with stowage login, or ` +
        "give --client-id and its secret",
    );
  }
  throw new Error(
    `Cannot find an access token for ${baseUrl}: sign in with stowage login, set STOWAGE_TOKEN, ` +
      "give --token, or run npm start once",
  );
}

/** An address without a slash at its end. */
export function plain(url: string): string {
  return url.replace(/\/+$/, "");
}
