/**
 * Override: `oidc-provider`, loaded without its warning about Node.js.
 *
 * On loading it warns on the console about every Node.js that is not an LTS release by name, which
 * the binaries from npm never are. We pin both versions, so the warning has no use.
 */
import type { KoaContextWithOIDC } from "oidc-provider";

// biome-ignore lint/suspicious/noConsole: silences the library only while it loads
const warn = console.warn;
console.warn = (...texts: unknown[]) => {
  if (!String(texts[0]).includes("Unsupported runtime")) warn(...texts);
};
const library = await import("oidc-provider");
console.warn = warn;

/** The provider itself. */
export const Provider = library.Provider;

/** The context of the current request; undefined outside of requests. */
export function currentContext(): KoaContextWithOIDC | undefined {
  return library.Provider.ctx;
}

/** A key that signs outside of the provider. */
export const ExternalSigningKey = library.ExternalSigningKey;

/** Errors that it turns into the error answers of the RFCs. */
export const errors = library.errors;

/** The rules that decide when a person must sign in or consent. */
export const interactionPolicy = library.interactionPolicy;
