/**
 * The folders whose tests depend on the version of PostgreSQL: they test migrations, the schema,
 * statements and their plans, and imports. The tests of other folders use the same statements.
 */
export const versionDependentFolders: readonly string[] = [
  "access",
  "check",
  "commands",
  "import",
  "lists",
  "migrations",
  "postgres",
  "provider",
  "schema",
  "skip-index",
  "sources",
  "store",
  "testing",
  "trees",
];

/** Whether `npm test` runs a test file again on the system's PostgreSQL. */
export function dependsOnVersion(file: string): boolean {
  const isInPackage = /^(?:libraries|services)\//.test(file);
  const folders = file.split("/").slice(2, -1);
  return (
    isInPackage &&
    file.endsWith(".pg.test.ts") &&
    folders.some((folder) => versionDependentFolders.includes(folder))
  );
}
