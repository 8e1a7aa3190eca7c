import type { RepositoryFile } from "./repository.ts";

/**
 * One line for every problem in the folders of migrations, services/<name>/schema/: a file that is
 * no SQL, README or test, or a migration with a wrong number. Migrations are numbered 0001, 0002, …
 * without a gap: one that is inserted before others would not run on databases that have those.
 */
export function schemaProblems(files: readonly RepositoryFile[]): readonly string[] {
  const paths = files.map(({ path }) => path);
  const folders = new Set(paths.map((path) => /^services\/[^/]+\/schema\//.exec(path)?.[0]));
  folders.delete(undefined);
  return Array.from(folders as Set<string>).flatMap((folder) =>
    problemsOf(
      paths.filter((path) => path.startsWith(folder)).map((path) => path.slice(folder.length)),
    ).map((problem) => `${folder}${problem}`),
  );
}

function problemsOf(names: readonly string[]): string[] {
  const migrations = names.filter((name) => /^\d{4}-[a-z0-9-]+\.sql$/.test(name)).sort();
  const others = names.filter((name) => !migrations.includes(name));
  return [
    ...others
      .filter((name) => !/^(?:current\.sql|README\.md|[a-z0-9-]+(?:\.pg)?\.test\.ts)$/.test(name))
      .map((name) => `${name}: need NNNN-what.sql, current.sql, README.md or a test`),
    ...migrations
      .map((name, index) => ({ name, number: `${index + 1}`.padStart(4, "0") }))
      .filter(({ name, number }) => !name.startsWith(`${number}-`))
      .map(({ name, number }) => `${name}: need number ${number}`),
  ];
}
