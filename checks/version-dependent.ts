/**
 * The folders whose tests depend on the version of PostgreSQL. They run again on the system's
 * PostgreSQL, which is older than the one from npm.
 */

/** Every run: migrations, the schema, statements and their plans. */
const statementFolders = ["merge", "migrations", "plans", "schema", "skip-index", "store", "trees"];

/** Also where all tests run: what uses these statements, from the command line to the driver. */
const furtherFolders = [
  ...["access", "check", "commands", "import", "lists", "postgres", "provider", "sources"],
  "testing",
];

/** Whether a test file runs again on the system's PostgreSQL. */
export function dependsOnVersion(file: string, everything: boolean): boolean {
  const isInPackage = /^(?:libraries|services)\//.test(file);
  const folders = file.split("/").slice(2, -1);
  const chosen = everything ? [...statementFolders, ...furtherFolders] : statementFolders;
  return (
    isInPackage && file.endsWith(".pg.test.ts") && folders.some((folder) => chosen.includes(folder))
  );
}
