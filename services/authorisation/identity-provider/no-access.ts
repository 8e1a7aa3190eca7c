/** The provider knows the person, who may not use this service. */
export class NoAccessError extends Error {
  override readonly name = "NoAccessError";
  /** For the person: a sentence or two. */
  readonly reason: string;

  /** @param detail for the log */
  constructor(reason: string, detail: string) {
    super(detail);
    this.reason = reason;
  }
}
