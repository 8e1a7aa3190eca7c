/** The settings of the other provider at which people may sign in. */
import { readFile } from "node:fs/promises";
import { readSettings, rows, SettingsError } from "@stowage/process";

export const identityProviderSettings = {
  AUTH_PROVIDER_ISSUER: rows.url(
    "Issuer of another OpenID Connect provider at which people may sign in, exactly as in the " +
      "iss claim of its tokens.",
    { optional: true },
  ),
  AUTH_PROVIDER_NAME: rows.text(
    "What people call that provider, on the button. Default: the host of its issuer.",
    { optional: true },
  ),
  AUTH_PROVIDER_CLIENT_ID: rows.text("ID of this service as a client of that provider.", {
    optional: true,
  }),
  AUTH_PROVIDER_CLIENT_SECRET_FILE: rows.text(
    "File with the secret of this client; without it, the client is a public one.",
    { optional: true },
  ),
  AUTH_PROVIDER_SCOPES: rows.text("Scopes that are requested there, separated by spaces.", {
    default: "openid profile email",
  }),
  AUTH_PROVIDER_GROUPS_CLAIM: rows.text("Claim of its ID tokens that has a person's groups.", {
    default: "groups",
  }),
  AUTH_PROVIDER_AUDIENCES: rows.text(
    "IDs of other clients of that provider, whose ID tokens may be exchanged too, separated by " +
      "spaces.",
    { optional: true },
  ),
  AUTH_PROVIDER_SESSION_S: rows.integer(
    "Seconds until a person of that provider must sign in again, from the sign-in.",
    { default: 8 * 3600, min: 300, max: 366 * 86_400 },
  ),
};

/** The provider, from the settings. */
export interface IdentityProvider {
  issuer: string;
  /** What people call it. */
  name: string;
  clientId: string;
  /** Undefined: the client is a public one. */
  clientSecret: string | undefined;
  /** Separated by spaces. */
  scopes: string;
  groupsClaim: string;
  /** Client IDs whose ID tokens may be exchanged, with that of this service. */
  audiences: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads which provider people may sign in at; undefined: none.
 *
 * @throws {SettingsError} when the settings do not fit together, or the secret cannot be read
 */
export async function findIdentityProvider(
  environment: Environment,
): Promise<IdentityProvider | undefined> {
  const settings = readSettings(identityProviderSettings, environment);
  const { authProviderIssuer: issuer, authProviderClientId: clientId } = settings;
  if (issuer === undefined) return undefined;
  if (!isConfidential(issuer)) {
    throw new SettingsError([
      "AUTH_PROVIDER_ISSUER: need an https address, or one of this machine",
    ]);
  }
  if (clientId === undefined) {
    throw new SettingsError(["AUTH_PROVIDER_CLIENT_ID: got nothing, need it for the issuer"]);
  }
  const others = settings.authProviderAudiences?.split(" ").filter((id) => id !== "") ?? [];
  return {
    issuer,
    name: settings.authProviderName ?? new URL(issuer).host,
    clientId,
    clientSecret: await readSecret(settings.authProviderClientSecretFile),
    scopes: settings.authProviderScopes,
    groupsClaim: settings.authProviderGroupsClaim,
    audiences: [clientId, ...others],
  };
}

async function readSecret(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  const text = await readFile(file, "utf8").catch((cause: Error) => {
    throw new SettingsError([`AUTH_PROVIDER_CLIENT_SECRET_FILE: cannot read it: ${cause.message}`]);
  });
  const secret = text.trim();
  if (secret !== "") return secret;
  throw new SettingsError([`AUTH_PROVIDER_CLIENT_SECRET_FILE: ${file} is empty, need a secret`]);
}

/** Whether what is sent there crosses no network unencrypted. */
export function isConfidential(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === "https:" || ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
}
