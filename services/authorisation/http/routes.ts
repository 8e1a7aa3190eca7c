/** The routes of the service. Nothing else exists for callers. */
import { basePathOf, providerPaths } from "../model/paths.ts";

/** A route. */
export interface Route {
  methods: readonly string[];
  /** The path as the provider knows it. */
  providerPath: string;
  /** A document that is the same for everybody; its requests are not counted. */
  isPublic?: true;
}

const read = ["GET", "HEAD"];

/** An ID that the provider made: 43 characters of base64url. */
const idPattern = /^[\w-]{43}$/;

/** Finds the route of a path. */
type FindRoute = (path: string) => Route | undefined;

/** The routes, under the path of AUTH_URL. */
export function routesUnder(authUrl: string): FindRoute {
  const base = basePathOf(authUrl);
  const exact = exactRoutes(base);
  const { authorization, interaction } = providerPaths;
  const byId = new Map<string, Route>([
    [base + authorization, { methods: read, providerPath: authorization }],
    [base + interaction, { methods: [...read, "POST"], providerPath: interaction }],
  ]);

  return (path) => {
    const found = exact.get(path);
    if (found !== undefined) return found;
    const slash = path.lastIndexOf("/");
    const id = path.slice(slash + 1);
    const route = byId.get(path.slice(0, slash));
    if (route === undefined || !idPattern.test(id)) return undefined;
    return { ...route, providerPath: `${route.providerPath}/${id}` };
  };
}

function exactRoutes(base: string): ReadonlyMap<string, Route> {
  const { authorization, pushedRequest, token, revocation, introspection } = providerPaths;
  const { keySet, openidMetadata, oauthMetadata } = providerPaths;
  const { endSession, endSessionConfirm, endSessionSuccess } = providerPaths;
  return new Map<string, Route>([
    [base + authorization, { methods: read, providerPath: authorization }],
    [base + endSession, { methods: [...read, "POST"], providerPath: endSession }],
    [base + endSessionConfirm, { methods: ["POST"], providerPath: endSessionConfirm }],
    [base + endSessionSuccess, { methods: read, providerPath: endSessionSuccess }],
    [base + pushedRequest, { methods: ["POST"], providerPath: pushedRequest }],
    [base + token, { methods: ["POST"], providerPath: token }],
    [base + revocation, { methods: ["POST"], providerPath: revocation }],
    [base + introspection, { methods: ["POST"], providerPath: introspection }],
    [base + keySet, document(keySet)],
    [base + openidMetadata, document(openidMetadata)],
    [base + oauthMetadata, document(oauthMetadata)],
    // RFC 8414 section 3 appends the path of the issuer to the well-known path.
    [oauthMetadata + base, document(oauthMetadata)],
  ]);
}

function document(providerPath: string): Route {
  return { methods: read, providerPath, isPublic: true };
}
