/** One thing wrong with a JSON document. */
export interface FieldViolation {
  /** Where, as in `tags.allOf[2]` or `upload.intentMetadata["k"]`. Empty: the document itself. */
  readonly field: string;
  /** What is there, shortened, and what is needed there. */
  readonly description: string;
}

/** A JSON document that does not follow its schema. Holds 1 to 20 violations, in document order. */
export class JsonFieldError extends Error {
  override readonly name = "JsonFieldError";
  readonly violations: readonly FieldViolation[];

  constructor(violations: readonly FieldViolation[]) {
    super(violations.map(toText).join("; "));
    this.violations = violations;
  }
}

function toText({ field, description }: FieldViolation): string {
  return field === "" ? description : `${field}: ${description}`;
}
