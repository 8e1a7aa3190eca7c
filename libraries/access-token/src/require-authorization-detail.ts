import type { AccessToken, AuthorizationDetail } from "./access-token.ts";
import { member } from "./parse-json.ts";
import { quote, TokenRefusedError } from "./token-refused-error.ts";

/**
 * What one entry of `authorization_details` must contain. The members are the common ones of RFC
 * 9396 section 2.2. They are compared exactly, and an entry that lacks a required member does not
 * satisfy the requirement. Use `accepts` for types with other rules, such as a location that
 * includes its subfolders, or an absent member that grants everything.
 */
export interface AuthorizationDetailRequirement {
  /** The entry's `type` must equal it. */
  readonly type: string;
  /** The entry's `identifier` must equal it. */
  readonly identifier?: string;
  /** One action or more. The entry's `actions` must contain all of them. */
  readonly actions?: readonly string[];
  /** The same for the entry's `locations`. */
  readonly locations?: readonly string[];
  /** The same for the entry's `datatypes`. */
  readonly datatypes?: readonly string[];
  /** The same for the entry's `privileges`. */
  readonly privileges?: readonly string[];
  /** Called with entries that satisfy everything else; returns whether the entry satisfies this. */
  readonly accepts?: (detail: AuthorizationDetail) => boolean;
}

/**
 * Returns the first entry of the token's `authorization_details` that satisfies the requirement
 * (RFC 9396 section 9.1). Entries are never combined: an action in one entry and a location in
 * another do not allow that action in that location.
 *
 * Throws TokenRefusedError AUTHORIZATION_DETAIL_MISSING if there is none, or if the token lacks the
 * claim. Throws a TypeError for an invalid requirement: a member that is unknown, of a wrong
 * type, `undefined` or an empty list would silently require less.
 */
export function requireAuthorizationDetail(
  token: AccessToken,
  requirement: AuthorizationDetailRequirement,
): AuthorizationDetail {
  checkRequirement(requirement);
  const satisfying = token.authorizationDetails?.find((detail) => satisfies(detail, requirement));
  if (satisfying !== undefined) return satisfying;
  throw new TokenRefusedError(
    "AUTHORIZATION_DETAIL_MISSING",
    `no entry of authorization_details satisfies ${quote(requirement)}`,
  );
}

const listNames = ["actions", "locations", "datatypes", "privileges"] as const;

function satisfies(
  detail: AuthorizationDetail,
  requirement: AuthorizationDetailRequirement,
): boolean {
  const { type, identifier, accepts } = requirement;
  return (
    detail.type === type &&
    (identifier === undefined || member(detail, "identifier") === identifier) &&
    listNames.every((name) => containsAll(member(detail, name), requirement[name])) &&
    (accepts === undefined || isAccepted(detail, accepts))
  );
}

function containsAll(granted: unknown, needed: readonly string[] = []): boolean {
  if (needed.length === 0) return true;
  return Array.isArray(granted) && needed.every((value) => granted.includes(value));
}

function isAccepted(
  detail: AuthorizationDetail,
  accepts: (detail: AuthorizationDetail) => boolean,
): boolean {
  const accepted: unknown = accepts(detail);
  if (typeof accepted === "boolean") return accepted;
  // A promise would always count as true.
  throw notRequirable("accepts must return true or false");
}

function checkRequirement(requirement: AuthorizationDetailRequirement): void {
  if (typeof requirement?.type !== "string" || requirement.type === "") {
    throw notRequirable("type must be a non-empty string");
  }
  for (const [name, value] of Object.entries(requirement)) {
    const check = Object.hasOwn(memberChecks, name) ? memberChecks[name] : undefined;
    if (check === undefined) throw notRequirable(`${quote(name)} is not a member of one`);
    if (!check.holds(value)) throw notRequirable(`${name} must be ${check.needed}`);
  }
}

interface MemberCheck {
  readonly needed: string;
  readonly holds: (value: unknown) => boolean;
}

const text: MemberCheck = { needed: "a string", holds: isText };
const list: MemberCheck = {
  needed: "a list of one or more strings",
  holds: (value) => Array.isArray(value) && value.length > 0 && [...value].every(isText),
};
const memberChecks: Readonly<Record<string, MemberCheck>> = {
  type: text,
  identifier: text,
  ...Object.fromEntries(listNames.map((name) => [name, list])),
  accepts: { needed: "a function", holds: (value) => typeof value === "function" },
};

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function notRequirable(fault: string): TypeError {
  return new TypeError(`Cannot require an authorization detail: ${fault}`);
}
