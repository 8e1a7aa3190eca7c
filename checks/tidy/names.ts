import { isHandwritten, type RepositoryFile } from "./repository.ts";

/** A name of these says nothing of what is inside: such a file is usually two files. */
const emptyWords = /^(?:utils?|helpers?|common|misc|managers?)$/;

/** What the world expects to find under these names. */
const givenNames = new Set([
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "LICENSE",
  "README.md",
  "SECURITY.md",
]);

/** Other names for the support of tests, which is in folders called `testing`. */
const testSupportNames = /^(?:test-support|fixtures|mocks|testing\.ts)$|\.testing\.ts$/;

/**
 * One line for every file or folder not named in kebab-case, with an empty word in its name, or
 * named as test support elsewhere.
 */
export function badNames(files: readonly RepositoryFile[]): readonly string[] {
  const names = files
    .filter(isHandwritten)
    .flatMap(({ path }) => path.split("/").map((name) => ({ path, name })))
    .filter(({ name }) => !givenNames.has(name));
  return names.flatMap(({ path, name }) => {
    if (testSupportNames.test(name)) return [`${path}: test support is in folders called testing`];
    if (!isKebabCase(name)) return [`${path}: ${name} is not in kebab-case`];
    const word = name.split(/[-._]/).find((part) => emptyWords.test(part));
    return word === undefined ? [] : [`${path}: ${word} says nothing of what is inside`];
  });
}

function isKebabCase(name: string): boolean {
  // protobuf's own tools want lower_snake_case, because of languages that import by file name.
  if (name.endsWith(".proto")) return /^[a-z0-9]+(?:_[a-z0-9]+)*\.proto$/.test(name);
  return /^\.?[a-z0-9]+(?:[-.][a-z0-9]+)*$/.test(name);
}
