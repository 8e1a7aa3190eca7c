/** Reads the uploads of a list from the service. */
import type { QueryClient } from "@tanstack/react-query";
import { reasonOf } from "../api/call-error.ts";
import { callJson } from "../api/call-json.ts";
import { type ListQuery, readFrom } from "./list-query.ts";
import { ListReader } from "./list-reader.ts";
import type { Page } from "./page-chain.ts";
import type { Matches } from "./two-ended-list.ts";
import { type JsonUpload, rowOf, type UploadRow } from "./upload-row.ts";

let readers = 0;

export function createReader(client: QueryClient, query: ListQuery): ListReader<UploadRow> {
  readers += 1;
  const readerKey = ["uploads", readers];
  let calls = 0;
  // The query client repeats calls that fail temporarily, and notices the end of the session.
  const call = (request: object, signal: AbortSignal) => {
    calls += 1;
    return client.fetchQuery({
      queryKey: [...readerKey, calls],
      queryFn: () => callJson<Answer>({ method, request, signal }),
      gcTime: 0,
    });
  };
  const countMatches = async ({ rows, nextCursor }: Page<UploadRow>, signal: AbortSignal) => {
    // A list that ends with its first page need not be counted.
    if (nextCursor === "") return matchesIn(rows);
    const request = { ...readFrom("start", query), pageSize: 1, includeCount: true };
    return matchesOf(await call(request, signal));
  };
  return new ListReader({
    isMismatch: (error) => reasonOf(error) === "CURSOR_MISMATCH",
    readPage: async ({ from, cursor, pageSize }, signal) => {
      const answer = await call({ ...readFrom(from, query), cursor, pageSize }, signal);
      const { uploads = [], nextCursor = "" } = answer;
      return { rows: uploads.map(rowOf), nextCursor };
    },
    countMatches: query.query === undefined ? undefined : countMatches,
  });
}

const method = "svc.api.v1.BucketUploadsService/ListUploads";

interface Answer {
  readonly uploads?: readonly JsonUpload[];
  readonly nextCursor?: string;
  readonly matchCount?: string | number;
  readonly matchCountIsExact?: boolean;
  readonly matchSizeBytes?: string | number;
}

function matchesIn(rows: readonly UploadRow[]): Matches {
  const sizeBytes = rows.reduce((sum, row) => sum + row.sizeBytes, 0);
  return { count: rows.length, isExact: true, sizeBytes };
}

function matchesOf({ matchCount, matchCountIsExact, matchSizeBytes }: Answer): Matches {
  return {
    count: Number(matchCount ?? 0),
    isExact: matchCountIsExact === true,
    sizeBytes: matchSizeBytes === undefined ? undefined : Number(matchSizeBytes),
  };
}
