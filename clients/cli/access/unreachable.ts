/** What to say if an address cannot be reached. */

/** An option that names another address. */
export type AddressOption = "--base-url" | "--auth-url";

/**
 * What is wrong with the address, for a message that names it; undefined if the error says nothing
 * about that.
 *
 * @param option if the command has one
 */
export function unreachableText(error: unknown, option?: AddressOption): string | undefined {
  const { code, message = "" } = systemErrorOf(error) ?? {};
  if (code === "ECONNREFUSED") {
    const others = option === undefined ? "" : `, or name others with ${option}`;
    return `nothing listens there; start the services with npm start${others}`;
  }
  // The second one if the resolver does not answer.
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "its host cannot be found";
  // OpenSSL takes the first bytes of an answer that is not TLS for a version.
  return message.includes("wrong version number") ? "it does not speak https; try http" : undefined;
}

/** The error of the system that it is, or that caused it. */
export function systemErrorOf(error: unknown): NodeJS.ErrnoException | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code } = error as NodeJS.ErrnoException;
  if (typeof code === "string") return error;
  // A host name may have several addresses.
  const causes = error instanceof AggregateError ? error.errors : [error.cause];
  return causes.map(systemErrorOf).find((found) => found !== undefined);
}
