import { normalisePath, PathError } from "../model/path.ts";

/** The `type` of entries about buckets. Entries of other types are for other services. */
const bucketEntryType = "bucket";
const entryMembers = new Set(["type", "identifier", "actions", "locations"]);
const rootLocations: readonly string[] = ["/"];

/**
 * The folders of a bucket that a token's `authorization_details` (RFC 9396) let it read, each with
 * everything under it. `["/"]` is the whole bucket, an empty list is nothing.
 *
 * Without an entry of type `bucket`, the token is not limited. An entry with an unknown member, or
 * with a member of the wrong form, grants nothing. Entries are not combined.
 */
export function grantedLocations(
  details: readonly Readonly<Record<string, unknown>>[] | undefined,
  bucketId: string,
): readonly string[] {
  const entries = details?.filter((entry) => entry.type === bucketEntryType) ?? [];
  if (entries.length === 0) return rootLocations;
  return entries.flatMap((entry) => locationsOfEntry(entry, bucketId));
}

function locationsOfEntry(
  entry: Readonly<Record<string, unknown>>,
  bucketId: string,
): readonly string[] {
  const { identifier, actions, locations } = entry;
  if (Object.keys(entry).some((member) => !entryMembers.has(member))) return [];
  if (identifier !== undefined && !namesBucket(identifier, bucketId)) return [];
  if (!isTextList(actions) || !actions.includes("read")) return [];
  if (locations === undefined) return rootLocations;
  // Requests may omit the first slash. In a grant, an empty text must not mean the root.
  if (!isTextList(locations) || !locations.every((path) => path.startsWith("/"))) return [];
  return normalisedLocations(locations);
}

function namesBucket(identifier: unknown, bucketId: string): boolean {
  return typeof identifier === "string" && identifier.toLowerCase() === bucketId;
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((element) => typeof element === "string");
}

function normalisedLocations(locations: readonly string[]): readonly string[] {
  try {
    return locations.map(normalisePath);
  } catch (error) {
    // No folder can have this path, so the whole entry grants nothing.
    if (error instanceof PathError) return [];
    throw error;
  }
}
