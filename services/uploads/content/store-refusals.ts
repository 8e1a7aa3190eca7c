/** The errors that callers get when a store refuses. */
import { S3ServiceException } from "@aws-sdk/client-s3";
import { ApiError } from "../model/api-error.ts";
import { contentChanged } from "./find-content.ts";

const changedStatuses: ReadonlySet<number | undefined> = new Set([404, 405]);
/** The answers to credentials that are wrong or have expired, and to some single objects. */
const refusedStatuses: ReadonlySet<number | undefined> = new Set([400, 401, 403]);

function statusOf(error: unknown): number | undefined {
  return error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
}

/** There are no credentials, or their provider failed. The store was not asked. */
const noCredentialsNames: readonly unknown[] = ["CredentialsProviderError", "TokenProviderError"];

/** Whether other credentials might have got another answer. */
export function isRefused(error: unknown): boolean {
  return refusedStatuses.has(statusOf(error));
}

/** `ApiError` CONTENT_CHANGED or CONTENT_UNAVAILABLE. */
export function refusalOf(cause: unknown): ApiError {
  if (changedStatuses.has(statusOf(cause))) return contentChanged(cause);
  return new ApiError("CONTENT_UNAVAILABLE", unavailableText(cause), { cause });
}

export function keyNotNameable(): ApiError {
  const message =
    "the key of the object is not UTF-8, so no request can name it; rename the object";
  return new ApiError("CONTENT_NOT_HELD", message);
}

function unavailableText(cause: unknown): string {
  if (cause instanceof Error && noCredentialsNames.includes(cause.name)) {
    return "the service has no credentials for the store that holds the content; ask its operator";
  }
  return isRefused(cause)
    ? "the store that holds the content refuses it to the service; ask its operator"
    : "the store that holds the content does not answer as it should; try again";
}
