/** What a person may access, by the groups that the provider names. */
import type { BucketDetail } from "../authorization-details/bucket-detail.ts";
import { readDetails } from "../authorization-details/read-details.ts";
import type { ProviderGroup } from "../store/provider-groups.ts";

/** The provider knows the person, who may not use this service. */
export class NoAccessError extends Error {
  override readonly name = "NoAccessError";
  /** For the person: a sentence or two. */
  readonly reason: string;

  /** @param detail for the log */
  constructor(reason: string, detail: string) {
    super(detail);
    this.reason = reason;
  }
}

/**
 * The groups of a person, by the claim that has them: a list, one text (`hd` of Google), or the
 * names of an object's members (roles of Zitadel). None, if the claim is missing. Entra ID leaves
 * out too many groups, and says so in one of two ways.
 *
 * @throws {NoAccessError} if the token does not contain all of them
 */
export function readGroups(claims: Readonly<Record<string, unknown>>, claim: string): string[] {
  const value = claims[claim];
  const names = claims._claim_names as Record<string, unknown> | undefined;
  const isLeftOut = claim === "groups" && claims.hasgroups !== undefined;
  if (names?.[claim] !== undefined || isLeftOut) {
    throw new NoAccessError(
      "You belong to more groups than your provider can name. Its administrators can let it send " +
        "only the groups that matter here.",
      `the provider left out the claim ${claim}: the person has too many groups`,
    );
  }
  const given: unknown[] = value instanceof Object ? namesIn(value) : [value];
  return given.filter((group) => typeof group === "string" && group !== "") as string[];
}

function namesIn(value: object): unknown[] {
  return Array.isArray(value) ? value : Object.keys(value);
}

/** What the groups allow together. */
interface Rights {
  organisationId: string;
  /** Undefined: all of the organisation. */
  authorizationDetails: readonly BucketDetail[] | undefined;
}

/** @throws {NoAccessError} if they allow nothing, or lead to several organisations */
export function rightsOf(groups: readonly ProviderGroup[]): Rights {
  const organisations = new Set(groups.map(({ organisationId }) => organisationId));
  const [organisationId, other] = organisations;
  if (organisationId === undefined) {
    throw new NoAccessError("None of your groups has access to this service.", "no group is known");
  }
  if (other !== undefined) {
    throw new NoAccessError(
      "Your groups belong to several organisations of this service, and it cannot choose one.",
      `the groups lead to ${[...organisations].join(", ")}`,
    );
  }
  const all = groups.map(({ authorizationDetails }) => authorizationDetails);
  if (all.includes(null)) return { organisationId, authorizationDetails: undefined };
  return { organisationId, authorizationDetails: union(all.flat() as BucketDetail[]) };
}

/** One entry for each bucket. */
function union(entries: readonly BucketDetail[]): readonly BucketDetail[] | undefined {
  const byBucket = Map.groupBy(entries, ({ identifier }) => identifier);
  const merged = [...byBucket.values()].map((ofBucket) => {
    const { locations: _, ...entry } = ofBucket[0] as BucketDetail;
    const locations = ofBucket.map((each) => each.locations);
    if (locations.includes(undefined)) return entry;
    return { ...entry, locations: [...new Set(locations.flat())] };
  });
  try {
    return readDetails(JSON.stringify(merged));
  } catch (error) {
    const { error_description: reason } = error as { error_description?: string };
    throw new NoAccessError("Your groups have access to too many folders.", String(reason));
  }
}
