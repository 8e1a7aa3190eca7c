/** Reads the uploads of a list from the service. */
import type { QueryClient } from "@tanstack/react-query";
import { reasonOf } from "../api/call-error.ts";
import { callJson } from "../api/call-json.ts";
import { type ListQuery, readFrom } from "./list-query.ts";
import { ListReader } from "./list-reader.ts";
import type { Page } from "./page-chain.ts";
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
        queryFn: () => readUploads({ ...readFrom(from, query), cursor, pageSize }, signal),
        gcTime: 0,
      });
    },
  });
}

interface Answer {
  readonly uploads?: readonly JsonUpload[];
  readonly nextCursor?: string;
}

async function readUploads(request: object, signal: AbortSignal): Promise<Page<UploadRow>> {
  const method = "svc.api.v1.BucketUploadsService/ListUploads";
  const { uploads = [], nextCursor = "" } = await callJson<Answer>({ method, request, signal });
  return { rows: uploads.map(rowOf), nextCursor };
}
