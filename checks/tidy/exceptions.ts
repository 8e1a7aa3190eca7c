/**
 * The exceptions to the rules of this folder, each with its reason. The lists only get shorter: an
 * entry that is no longer needed fails the tests, and a new entry needs a good argument.
 */

/** Files of more than 300 lines, by path. */
export const longFiles: Readonly<Record<string, string>> = {};

/** Files with a `biome-ignore` comment, by path. */
export const lintSuppressions: Readonly<Record<string, string>> = {
  "services/authorisation/overrides/library.ts":
    "oidc-provider warns on the console while it loads, and can be silenced nowhere else",
};

/** Texts with lines of more than 100 columns that could be broken, by path. */
export const wideTexts: Readonly<Record<string, string>> = {};

/** Folders whose children import each other in a circle. */
export const importCycles: Readonly<Record<string, string>> = {};
