/** Notes what is wrong in one place of a record: what is there, and what is needed there. */
export type Refuse = (field: string, got: string, need: string) => void;

/** One thing wrong, in words: `upload.sizeBytes: got -1, need 0 or more`. */
export function faultText(field: string, got: string, need: string): string {
  return `${field}: got ${got}, need ${need}`;
}
