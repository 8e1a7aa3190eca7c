/**
 * oidc-provider, loaded in silence.
 *
 * It warns on the console about any Node.js that does not call itself an LTS release, which the
 * binaries from npm never do. We pin the version of both, so the warning tells nobody anything.
 */
// biome-ignore lint/suspicious/noConsole: only to silence the library while it loads
const warn = console.warn;
console.warn = (...texts: unknown[]) => {
  if (!String(texts[0]).includes("Unsupported runtime")) warn(...texts);
};
const library = await import("oidc-provider");
console.warn = warn;

/** The provider itself. */
export const Provider = library.Provider;

/** A key that signs elsewhere than in the provider. */
export const ExternalSigningKey = library.ExternalSigningKey;

/** Refusals that it turns into the error answers of the RFCs. */
export const errors = library.errors;

/** When people are asked something. */
export const interactionPolicy = library.interactionPolicy;
