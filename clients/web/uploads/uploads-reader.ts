/** Reads the uploads of a list from the service. */
import type { QueryClient } from "@tanstack/react-query";
import { reasonOf } from "../api/call-error.ts";
import { callJson } from "../api/call-json.ts";
import { type ListQuery, readFrom } from "./list-query.ts";
import { ListReader } from "./list-reader.ts";
import type { Matches, Page } from "./page-chain.ts";
import { type JsonUpload, rowOf, type UploadRow } from "./upload-row.ts";

let readers = 0;

export function createReader(client: QueryClient, query: ListQuery): ListReader<UploadRow> {
  readers += 1;
  const readerKey = ["uploads", readers];
  let calls = 0;
  return new ListReader({
    isMismatch: (error) => reasonOf(error) === "CURSOR_MISMATCH",
    readPage: ({ from, cursor, pageSize }, signal) => {
      calls += 1;
      // The query client repeats calls that fail temporarily, and notices the end of the session.
      return client.fetchQuery({
        queryKey: [...readerKey, calls],
        queryFn: () => {
          // All pages have the same matches. They are counted once.
          const includeCount = query.query !== undefined && cursor === "";
          return readUploads({ ...readFrom(from, query), cursor, pageSize, includeCount }, signal);
        },
        gcTime: 0,
      });
    },
  });
}

interface Answer {
  readonly uploads?: readonly JsonUpload[];
  readonly nextCursor?: string;
  readonly matchCount?: string | number;
  readonly matchCountIsExact?: boolean;
  readonly matchSizeBytes?: string | number;
}

async function readUploads(request: object, signal: AbortSignal): Promise<Page<UploadRow>> {
  const method = "svc.api.v1.BucketUploadsService/ListUploads";
  const answer = await callJson<Answer>({ method, request, signal });
  const { uploads = [], nextCursor = "" } = answer;
  return { rows: uploads.map(rowOf), nextCursor, matches: matchesOf(answer) };
}

function matchesOf(answer: Answer): Matches | undefined {
  const { matchCount, matchCountIsExact = false, matchSizeBytes } = answer;
  if (matchCount === undefined) return undefined;
  const sizeBytes = matchSizeBytes === undefined ? undefined : Number(matchSizeBytes);
  return { count: Number(matchCount), isExact: matchCountIsExact, sizeBytes };
}
