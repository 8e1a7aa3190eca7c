/**
 * Where a rule of this folder does not hold, and why. The lists only get shorter: an entry that is
 * no longer needed fails the tests, and a new one is a thing to argue about.
 */

/** Files of more than 300 lines, by path. */
export const longFiles: Readonly<Record<string, string>> = {};

/** Files with a `biome-ignore` comment, by path. */
export const lintSuppressions: Readonly<Record<string, string>> = {
  "services/authorisation/provider/library.ts":
    "oidc-provider warns on the console while it loads, and can be silenced nowhere else",
};
