/** What the well-behaved tenant calls: what people do who look through their files. */
import { callJson, listUploadsPath } from "../../conformance/testing/json-caller.ts";
import { largeFolderPath } from "../data-set/generated-data-set.ts";
import type { Testbed } from "../testbed/testbed.ts";
import type { Call } from "./callers/caller.ts";
import { wellBehaved } from "./tenants.ts";

const folder = { path: largeFolderPath };

/** Lists of folders and of the bucket, and searches that find much. */
const firstPages: readonly object[] = [
  ...["created_at", "updated_at", "filename", "size_bytes"].flatMap((sortBy) => [
    { ...folder, sortBy },
    { sortBy },
  ]),
  { ...folder, sortBy: "filename", sortOrder: "asc" },
  { path: "/" },
  { path: "/Scans", recursive: true },
  { ...folder, search: ".pdf" },
  { ...folder, search: "scan-" },
  { search: "scan-*" },
];
/** As many of them are followed by their next page. */
const nextPages = 6;

/** Of the tenant. They take turns. */
const clientCount = 4;

/** The calls with their right answers, which nothing changes while the benchmark runs. */
export async function steadyCalls(testbed: Testbed): Promise<Call[]> {
  const calls: Call[] = [];
  for (const body of firstPages) {
    const call = await answeredCall(testbed, body, calls.length);
    calls.push(call);
    const { nextCursor } = JSON.parse(call.answer) as { nextCursor: string };
    if (calls.length >= 2 * nextPages || nextCursor === "") continue;
    calls.push(await answeredCall(testbed, { ...body, cursor: nextCursor }, calls.length));
  }
  return calls;
}

async function answeredCall(testbed: Testbed, body: object, index: number) {
  const token = testbed.tokenOf(wellBehaved.organisationId, `client-${index % clientCount}`);
  const url = `http://127.0.0.1:${testbed.service.port}`;
  const { status, text: answer } = await callJson(url, { body, token });
  if (status !== 200) throw new Error(`Cannot list uploads: got status ${status}: ${answer}`);
  return { path: listUploadsPath, token, body: JSON.stringify(body), answer };
}
