/** How calls are kept and repeated. */
import { QueryCache, QueryClient } from "@tanstack/react-query";
import { readAgain } from "../buckets/bucket-changes.ts";
import { sessionKey } from "../session/session.ts";
import { isTemporary, isUnauthenticated, reasonOf } from "./call-error.ts";

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

/**
 * If a call failed because the session has ended, the page says so: everything else on it stays.
 * Queries note it by themselves.
 */
export function noteEndedSession(client: QueryClient, error: unknown): void {
  if (isUnauthenticated(error)) client.setQueryData(sessionKey, null);
}
