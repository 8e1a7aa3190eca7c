/**
 * An immutable set of scopes. `Object.freeze` does not prevent `Set.prototype.add`, so the mutable
 * set is private. The class has a file of its own because the package's published types must not
 * need the set methods of ES2025.
 */
export class ScopeSet implements ReadonlySet<string> {
  readonly #scopes: Set<string>;

  constructor(scopes: Iterable<string>) {
    this.#scopes = new Set(scopes);
    Object.freeze(this);
  }

  get size(): number {
    return this.#scopes.size;
  }
  has(scope: string): boolean {
    return this.#scopes.has(scope);
  }
  forEach(
    action: (scope: string, again: string, all: ReadonlySet<string>) => void,
    thisArgument?: unknown,
  ): void {
    for (const scope of this.#scopes) action.call(thisArgument, scope, scope, this);
  }
  entries(): SetIterator<[string, string]> {
    return this.#scopes.entries();
  }
  keys(): SetIterator<string> {
    return this.#scopes.keys();
  }
  values(): SetIterator<string> {
    return this.#scopes.values();
  }
  [Symbol.iterator](): SetIterator<string> {
    return this.#scopes.values();
  }
  union<U>(other: ReadonlySetLike<U>): Set<string | U> {
    return this.#scopes.union(other);
  }
  intersection<U>(other: ReadonlySetLike<U>): Set<string & U> {
    return this.#scopes.intersection(other);
  }
  difference<U>(other: ReadonlySetLike<U>): Set<string> {
    return this.#scopes.difference(other);
  }
  symmetricDifference<U>(other: ReadonlySetLike<U>): Set<string | U> {
    return this.#scopes.symmetricDifference(other);
  }
  isSubsetOf(other: ReadonlySetLike<unknown>): boolean {
    return this.#scopes.isSubsetOf(other);
  }
  isSupersetOf(other: ReadonlySetLike<unknown>): boolean {
    return this.#scopes.isSupersetOf(other);
  }
  isDisjointFrom(other: ReadonlySetLike<unknown>): boolean {
    return this.#scopes.isDisjointFrom(other);
  }
}
