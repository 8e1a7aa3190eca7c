/** What the rules answer in place of a result. */
export type RefusalCode = "not_found" | "invalid_argument" | "resource_exhausted";

export class Refused extends Error {
  override readonly name = "Refused";
  readonly code: RefusalCode;

  constructor(code: RefusalCode, message: string) {
    super(message);
    this.code = code;
  }
}
