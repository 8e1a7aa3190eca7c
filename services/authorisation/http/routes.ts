/** The routes of the service. Nothing else exists for callers. */
import { basePathOf, providerPaths } from "../model/paths.ts";

/** A route. */
export interface Route {
  methods: readonly string[];
  /** The path without the ID that may follow it. */
  name: string;
  /** The path as the provider knows it. */
  providerPath: string;
  /** A document that is the same for everybody; its requests are not counted. */
  isPublic?: true;
}

const read = ["GET", "HEAD"];

/** Browsers use it to ask whether a page of another origin may send a request. */
const preflight = "OPTIONS";

/** Divides a path from the ID of an interaction at its end; others have no ID. */
export function splitPath(path: string): [page: string, id: string] {
  const slash = path.lastIndexOf("/");
  const id = path.slice(slash + 1);
  return idPattern.test(id) ? [path.slice(0, slash), id] : [path, ""];
}

/** An ID that the provider made: 43 characters of base64url. */
const idPattern = /^[\w-]{43}$/;

/** Finds the route of a path. */
type FindRoute = (path: string) => Route | undefined;

/** The routes, under the path of AUTH_URL. */
export function routesUnder(authUrl: string): FindRoute {
  const base = basePathOf(authUrl);
  const exact = exactRoutes(base);
  const { authorization, interaction, device } = providerPaths;
  const byId = new Map<string, Route>([
    [base + authorization, route(authorization, read)],
    [base + interaction, route(interaction, [...read, "POST"])],
    [base + device, route(device, read)],
  ]);

  return (path) => {
    const whole = exact.get(path);
    if (whole !== undefined) return whole;
    const [page, id] = splitPath(path);
    const found = id === "" ? undefined : byId.get(page);
    return found && { ...found, providerPath: `${found.providerPath}/${id}` };
  };
}

function exactRoutes(base: string): ReadonlyMap<string, Route> {
  const paths = providerPaths;
  const routes = [
    route(paths.authorization, read),
    route(paths.providerCallback, read),
    route(paths.providerLogout, ["POST"]),
    route(paths.providerSignedOut, read),
    route(paths.account, [...read, "POST"]),
    route(paths.signInLink, [...read, "POST"]),
    route(paths.endSession, read),
    route(paths.endSessionConfirm, ["POST"]),
    route(paths.endSessionSuccess, read),
    route(paths.pushedRequest, ["POST", preflight]),
    route(paths.deviceAuthorization, ["POST"]),
    route(paths.device, [...read, "POST"]),
    route(paths.token, ["POST", preflight]),
    route(paths.userinfo, [...read, "POST", preflight]),
    route(paths.revocation, ["POST", preflight]),
    route(paths.introspection, ["POST"]),
    document(paths.keySet),
    document(paths.openidMetadata),
    document(paths.oauthMetadata),
  ];
  const byPath = new Map(routes.map((each) => [base + each.providerPath, each]));
  // RFC 8414 section 3 appends the path of the issuer to the well-known path.
  return byPath.set(paths.oauthMetadata + base, document(paths.oauthMetadata));
}

function route(providerPath: string, methods: readonly string[]): Route {
  return { methods, name: providerPath, providerPath };
}

function document(providerPath: string): Route {
  return { ...route(providerPath, [...read, preflight]), isPublic: true };
}
