/**
 * An immutable set of scopes, since the cache shares it: `Object.freeze` does not prevent `add`.
 * The class has a file of its own because the package's published types must not need the set
 * methods of ES2025.
 */
export class ScopeSet extends Set<string> {
  constructor(scopes: Iterable<string>) {
    super();
    for (const scope of scopes) super.add(scope);
    Object.freeze(this);
  }

  override add(): never {
    throw new TypeError("Cannot change the scopes of a token");
  }
  override delete(): never {
    return this.add();
  }
  override clear(): never {
    return this.add();
  }
}
