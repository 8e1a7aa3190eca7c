/** What callers may ask for: everything that is not in this table does not exist for them. */
import { providerPaths } from "../provider/paths.ts";

/** Where a path leads. */
export interface Route {
  methods: readonly string[];
  /** The path as the provider knows it. */
  providerPath: string;
}

const read = ["GET", "HEAD"];

/** The routes by path. They lie under the path of AUTH_URL, where it has one. */
export function routesUnder(authUrl: string): ReadonlyMap<string, Route> {
  const base = basePathOf(authUrl);
  const { token, revocation, introspection, keySet, openidMetadata, oauthMetadata } = providerPaths;
  return new Map<string, Route>([
    [base + token, { methods: ["POST"], providerPath: token }],
    [base + revocation, { methods: ["POST"], providerPath: revocation }],
    [base + introspection, { methods: ["POST"], providerPath: introspection }],
    [base + keySet, { methods: read, providerPath: keySet }],
    [base + openidMetadata, { methods: read, providerPath: openidMetadata }],
    [base + oauthMetadata, { methods: read, providerPath: oauthMetadata }],
    // RFC 8414 section 3 puts the issuer's path behind the well-known one.
    [oauthMetadata + base, { methods: read, providerPath: oauthMetadata }],
  ]);
}

/** The path of AUTH_URL, without a slash at its end. */
export function basePathOf(authUrl: string): string {
  return new URL(authUrl).pathname.replace(/\/$/, "");
}
