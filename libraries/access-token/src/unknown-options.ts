/**
 * Throws a TypeError if there is any: a misspelt `denylist` would let revoked tokens in, and nobody
 * would notice.
 *
 * @param act what cannot be done then: `Cannot make a validator`
 * @param others what is left of the options once the known ones are taken out
 */
export function refuseUnknownOptions(act: string, others: object): void {
  const [name] = Object.keys(others);
  if (name !== undefined) throw new TypeError(`${act}: there is no option ${name}`);
}
