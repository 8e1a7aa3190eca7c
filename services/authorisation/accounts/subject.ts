/** How tokens name a person: by what never changes and tells nothing. */
import { isLowerCaseUuid } from "@stowage/process";

const prefix = "urn:svc:user:";

/** The subject of an account. */
export function subjectOf(accountId: string): string {
  return prefix + accountId;
}

/** The account of a subject; undefined when it is not one of a person. */
export function accountIdOf(subject: string): string | undefined {
  const id = subject.startsWith(prefix) ? subject.slice(prefix.length) : "";
  return isLowerCaseUuid(id) ? id : undefined;
}
