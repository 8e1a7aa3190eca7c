import { isHandwritten, type RepositoryFile } from "./repository.ts";

/** Words that do not say what a file contains. Such a file is usually two files. */
const emptyWords = /^(?:utils?|helpers?|common|misc|managers?)$/;

/** Names that tools and readers expect in this form. */
const givenNames = new Set([
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "LICENSE",
  "README.md",
  "SECURITY.md",
]);

/** Other names for test support, which is in folders called `testing`. */
const testSupportNames = /^(?:test-support|fixtures|mocks|testing\.ts)$|\.testing\.ts$/;

/**
 * One line for every file or folder that is not named in kebab-case, has an empty word in its name,
 * or has another name for test support.
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
    return word === undefined ? [] : [`${path}: ${word} does not say what is inside`];
  });
}

function isKebabCase(name: string): boolean {
  // buf lint requires lower_snake_case: some languages import the generated code by file name.
  if (name.endsWith(".proto")) return /^[a-z0-9]+(?:_[a-z0-9]+)*\.proto$/.test(name);
  return /^\.?[a-z0-9]+(?:[-.][a-z0-9]+)*$/.test(name);
}
