import type { RepositoryFile } from "./repository.ts";

/**
 * One line for every fault in the folders of database steps, services/<name>/schema/: a file that
 * is neither SQL, its README nor its test, and a step out of turn. Steps are numbered 0001, 0002, …
 * without a gap: one that comes to stand before others would not run where those have run already.
 */
export function schemaFaults(files: readonly RepositoryFile[]): readonly string[] {
  const paths = files.map(({ path }) => path);
  const folders = new Set(paths.map((path) => /^services\/[^/]+\/schema\//.exec(path)?.[0]));
  folders.delete(undefined);
  return Array.from(folders as Set<string>).flatMap((folder) =>
    faultsOf(
      paths.filter((path) => path.startsWith(folder)).map((path) => path.slice(folder.length)),
    ).map((fault) => `${folder}${fault}`),
  );
}

function faultsOf(names: readonly string[]): string[] {
  const steps = names.filter((name) => /^\d{4}-[a-z0-9-]+\.sql$/.test(name)).sort();
  const others = names.filter((name) => !steps.includes(name));
  return [
    ...others
      .filter((name) => !/^(?:current\.sql|README\.md|[a-z0-9-]+(?:\.pg)?\.test\.ts)$/.test(name))
      .map((name) => `${name}: need NNNN-what.sql, current.sql, README.md or a test`),
    ...steps
      .map((name, index) => ({ name, number: `${index + 1}`.padStart(4, "0") }))
      .filter(({ name, number }) => !name.startsWith(`${number}-`))
      .map(({ name, number }) => `${name}: need number ${number}`),
  ];
}
