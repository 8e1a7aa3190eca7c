/** The steps of a schema, or what the database says of them, cannot be right. */
export class MigrationError extends Error {
  override readonly name: string = "MigrationError";
}

/** The database has steps that this version of the program does not know: a newer one made them. */
export class DatabaseTooNewError extends MigrationError {
  override readonly name = "DatabaseTooNewError";
}
