/** Another provider, as oidc-provider makes it, and a service at which its people may sign in. */
import type { IdentityProvider } from "../identity-provider/settings.ts";
import type { ServiceOptions } from "../service.ts";
import { type ProviderGroup, setProviderGroup } from "../store/provider-groups.ts";
import { type BareProvider, startBareProvider } from "./bare-provider.ts";
import type { TestBrowser, Visited } from "./test-browser.ts";
import { startTestService, type TestService } from "./test-service.ts";

/** The service's credentials at the provider. */
export const atProvider = { clientId: "stowage", clientSecret: "a-secret-at-the-provider" };

/** The service's settings for a provider. */
export function settingsOf(
  issuer: string,
  changes: Partial<IdentityProvider> = {},
): IdentityProvider {
  return {
    issuer,
    name: "Acme",
    ...atProvider,
    scopes: "openid profile email",
    groupsClaim: "groups",
    audiences: [atProvider.clientId],
    ...changes,
  };
}

/** Claims of people, by the `sub` of the provider. */
type People = Record<string, Record<string, unknown>>;

interface TwoProviders extends AsyncDisposable {
  other: BareProvider;
  service: TestService;
  /** The tests change it. */
  people: People;
}

/** Starts both. Groups are those that the service knows. */
export async function startTwoProviders(
  people: People,
  groups: Partial<ProviderGroup>[],
  changes: { service?: Partial<ServiceOptions>; provider?: Partial<IdentityProvider> } = {},
): Promise<TwoProviders> {
  const other = await startBareProvider({
    claims: {
      openid: ["sub", "groups"],
      profile: ["name", "preferred_username"],
      email: ["email"],
    },
    conformIdTokenClaims: false,
    findAccount: (_ctx, accountId) => ({
      accountId,
      claims: () => ({ sub: accountId, ...people[accountId] }),
    }),
    async loadExistingGrant(ctx) {
      const { account, client } = ctx.oidc;
      if (account === undefined || client === undefined) return undefined;
      const names = { accountId: account.accountId, clientId: client.clientId };
      const grant = new other.provider.Grant(names);
      grant.addOIDCScope("openid profile email");
      await grant.save();
      return grant;
    },
    // By default, it sends nothing to this machine.
    fetch: (url, init) => {
      const { dispatcher: _, ...rest } = (init ?? {}) as RequestInit & { dispatcher?: unknown };
      return fetch(url, rest);
    },
    features: { backchannelLogout: { enabled: true } },
  });
  const service = await startTestService({
    identityProvider: settingsOf(other.url, changes.provider),
    ...changes.service,
  });
  other.stored.set(`Client:${atProvider.clientId}`, {
    client_id: atProvider.clientId,
    client_secret: atProvider.clientSecret,
    redirect_uris: [`${service.authUrl}/provider/callback`],
    post_logout_redirect_uris: [`${service.authUrl}/provider/signed-out`],
    backchannel_logout_uri: `${service.authUrl}/provider/logout`,
    backchannel_logout_session_required: true,
  });
  for (const group of groups) {
    await setProviderGroup(service.pool, {
      groupName: "staff",
      organisationId: "acme",
      authorizationDetails: null,
      ...group,
    });
  }
  return {
    other,
    service,
    people,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await other[Symbol.asyncDispose]();
    },
  };
}

/** Follows the provider's redirects, from an address there to one elsewhere. */
export async function passThrough({ url, browse }: BareProvider, address: string): Promise<string> {
  let location = address;
  while (location.startsWith(url) || location.startsWith("/")) {
    const response = await browse(location);
    location = response.headers.get("location") ?? "";
    if (location === "") throw new Error(`Cannot go on: ${await response.text()}`);
  }
  return location;
}

/** Opens an address of the service, and signs in at the provider when it leads there. */
export async function signInThrough(
  browser: TestBrowser,
  other: BareProvider,
  address: string,
): Promise<Visited> {
  let page = await browser.open(address);
  if (page.text.includes('value="provider"')) {
    const [, secret] = /name="secret" value="([^"]*)"/.exec(page.text) ?? [];
    page = await browser.submit(page, { act: "provider", ...(secret && { secret }) });
  }
  if (!page.url.startsWith(other.url)) return page;
  return await browser.open(await passThrough(other, page.url));
}
