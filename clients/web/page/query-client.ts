/** How calls are kept and repeated. */
import { QueryCache, QueryClient } from "@tanstack/react-query";
import { isTemporary, reasonOf } from "../api/call-error.ts";
import { readAgain } from "../buckets/bucket-changes.ts";
import { noteEndedSession } from "../session/session.ts";

const retriesMax = 2;
/** A failed call is repeated after this time, until it succeeds or its result is not shown. */
const failedRetryMs = 5000;

export function createQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      onError: (error, { queryKey: [what, bucketId] }) => {
        noteEndedSession(client, error);
        // Something that is shown leads to the folder.
        const isGone = what === "folder-level" && reasonOf(error) === "FOLDER_NOT_FOUND";
        if (isGone) readAgain(client, String(bucketId));
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        retry: (failures, error) => failures < retriesMax && isTemporary(error),
        refetchInterval: ({ state }) =>
          state.error !== null && isTemporary(state.error) ? failedRetryMs : false,
      },
    },
  });
  return client;
}
