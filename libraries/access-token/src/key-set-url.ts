/** Where an issuer publishes its keys. Throws a TypeError unless the issuer is an address. */
export function keySetUrl(issuer: string): URL {
  const url = typeof issuer === "string" && URL.canParse(issuer) ? new URL(issuer) : null;
  const isAddress =
    url !== null &&
    (url.protocol === "https:" || url.protocol === "http:") &&
    url.username === "" &&
    url.password === "" &&
    !/[?#]/.test(issuer);
  if (!isAddress) {
    throw new TypeError(
      "Cannot make a key set: need an issuer that is an http or https address without " +
        `user, query and fragment, got ${JSON.stringify(issuer)}`,
    );
  }
  return new URL(`${issuer.replace(/\/$/, "")}/.well-known/jwks.json`);
}
