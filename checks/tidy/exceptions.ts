/**
 * The exceptions to the rules of this folder, each with its reason. The list only gets shorter: an
 * entry that is no longer needed fails the tests, and a new entry needs a good argument.
 */

/** Files with a `biome-ignore` comment, by path. */
export const lintSuppressions: Readonly<Record<string, string>> = {
  "services/authorisation/overrides/library.ts":
    "oidc-provider warns on the console while it loads, and can be silenced nowhere else",
};
