/** Requests whose answers the conformance model knows. */
import fc from "fast-check";
import type { Caller } from "../../conformance/model/caller.ts";
import {
  type ListFolderTreeRequest,
  listFolderTree,
} from "../../conformance/model/list-folder-tree.ts";
import { type ListUploadsRequest, listUploads } from "../../conformance/model/list-uploads.ts";
import type { Tree } from "../../conformance/model/messages.ts";
import type { Bucket } from "../../conformance/model/records.ts";
import { listRequests } from "../../conformance/samples/list-requests.ts";
import { bucketIds, callers } from "../../conformance/samples/tenants.ts";
import { treeRequests } from "../../conformance/samples/tree-requests.ts";
import {
  listFolderTreePath,
  listUploadsPath,
  type UploadsPage,
} from "../../conformance/testing/json-caller.ts";
import {
  answerOrCode,
  assertSameJson,
  maskImportedIds,
} from "../../conformance/testing/like-model.ts";
import type { Data, State } from "./data.ts";

export interface CheckedRequest {
  readonly kind: "list" | "search" | "tree" | "large tree";
  readonly path: string;
  readonly body: object;
  readonly caller: Caller;
  /** How an answer, or the code of an error, differs from that of the model in a state. */
  problemIn(got: unknown, state: State): string | undefined;
}

/** A request and its expected answers, which are computed when they are first needed. */
function checkedRequest(
  request: Omit<CheckedRequest, "problemIn">,
  data: Data,
  ask: (buckets: readonly Bucket[]) => object,
  asExpected: (answer: unknown, state: State) => unknown,
): CheckedRequest {
  const known = new Map<State, unknown>();
  const context = `${request.kind}: ${JSON.stringify(request.body)}`;
  return {
    ...request,
    problemIn(got, state) {
      const expected = known.get(state) ?? answerOrCode(() => ask(data.buckets[state]));
      known.set(state, expected);
      if (got === expected) return undefined;
      if (typeof got === "string" || typeof expected === "string") {
        return `need ${nameOf(expected)}, got ${nameOf(got)}: ${context}`;
      }
      try {
        assertSameJson(asExpected(got, state), expected, context);
        return undefined;
      } catch (error) {
        return (error as Error).message;
      }
    },
  };
}

function nameOf(answer: unknown): string {
  return typeof answer === "string" ? answer : "an answer";
}

function checkedList(data: Data, caller: Caller, body: ListUploadsRequest): CheckedRequest {
  const ask = (buckets: readonly Bucket[]) => {
    const uploads = listUploads(buckets, caller, body);
    const size = body.pageSize || 50;
    return { uploads: uploads.slice(0, size), isLast: uploads.length <= size };
  };
  const kind = body.search ? "search" : "list";
  return checkedRequest({ kind, path: listUploadsPath, body, caller }, data, ask, (answer) => {
    const { uploads, nextCursor } = answer as UploadsPage;
    return { uploads, isLast: nextCursor === "" };
  });
}

function checkedTree(
  data: Data,
  caller: Caller,
  body: ListFolderTreeRequest,
  kind: "tree" | "large tree" = "tree",
): CheckedRequest {
  const ask = (buckets: readonly Bucket[]) => listFolderTree(buckets, caller, body);
  const request = { kind, path: listFolderTreePath, body, caller };
  return checkedRequest(request, data, ask, (answer, state) => {
    const folders = data.buckets[state].flatMap((bucket) => bucket.folders);
    return maskImportedIds(answer as Tree, new Set(folders.map(({ folderId }) => folderId)));
  });
}

/** As many requests of every kind, of several callers and both buckets of their organisation. */
export function sampleRequests(data: Data, seed: number): readonly CheckedRequest[] {
  const [primary] = data.buckets.one;
  if (!primary) throw new Error("the sample has a bucket");
  const who = fc.constantFrom(callers.reader, callers.notes, callers.scans);
  const where = fc.constantFrom({}, {}, { bucketRef: { bucketId: bucketIds.second } });
  const sample = <T>(requests: fc.Arbitrary<T>) =>
    fc.sample(fc.tuple(who, where, requests), { seed, numRuns: 60 });
  return [
    ...sample(listRequests(primary)).map(([caller, bucket, body]) =>
      checkedList(data, caller, { ...body, ...bucket }),
    ),
    ...sample(treeRequests(primary)).map(([caller, bucket, body]) =>
      checkedTree(data, caller, { ...body, ...bucket }),
    ),
  ];
}

/** A tree that is larger than the buffers between the service and a caller who does not read. */
export function largeTreeRequest(data: Data): CheckedRequest {
  return checkedTree(data, callers.stranger, { includeUploads: true }, "large tree");
}
