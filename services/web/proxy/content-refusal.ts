/** Errors of the uploads service for content, where a person has opened the address. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { codeFromString } from "@connectrpc/connect/protocol-connect";
import { isOpenedByPerson, sendErrorPage } from "../http/answer.ts";
import { readWhole } from "./upstream.ts";

const bodyBytesMax = 64 * 1024;

/** Answers to conditions and ranges, which only programs ask for. */
const conditionStatuses = [412, 416];

/** Whether the answer is an error that a person reads, not a script of the page. */
export function isReadByPerson(request: IncomingMessage, { statusCode = 502 }: IncomingMessage) {
  const isError = statusCode >= 400 && !conditionStatuses.includes(statusCode);
  return isError && isOpenedByPerson(request);
}

/** Sends the error as a page, since browsers would show its JSON. */
export async function sendReadableRefusal(
  answer: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { statusCode = 502, headers } = answer;
  // What broke off explains nothing, but the status still counts.
  const text = await readWhole(answer, bodyBytesMax).then(String, () => "");
  const { code, message } = errorIn(text);
  const retryAfter = headers["retry-after"];
  const ownHeaders = retryAfter === undefined ? {} : { "Retry-After": retryAfter };
  sendErrorPage(response, statusCode, { code: codeFromString(code), message }, ownHeaders);
}

/** Of an error as Connect writes it. A proxy on the way may answer with a page of its own. */
function errorIn(text: string): { readonly code: string; readonly message: string } {
  try {
    const { code, message } = JSON.parse(text) as Record<string, unknown>;
    if (typeof code === "string" && typeof message === "string") return { code, message };
  } catch {
    // It is no JSON.
  }
  return { code: "", message: "the content cannot be read" };
}
