/** How calls are kept and repeated. */
import { Code, ConnectError } from "@connectrpc/connect";
import { QueryCache, QueryClient } from "@tanstack/react-query";
import { sessionKey } from "../session/session.ts";

const retriesMax = 2;

/** Only what may pass by itself: the service or its database is away, or too busy. */
const passingCodes: readonly Code[] = [Code.Unavailable, Code.Unknown, Code.DeadlineExceeded];

export function createQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      // A call without a session shows that it has ended: everything else on the page stays.
      onError: (error) => {
        if (codeOf(error) === Code.Unauthenticated) client.setQueryData(sessionKey, null);
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        retry: (failures, error) => failures < retriesMax && passingCodes.includes(codeOf(error)),
      },
    },
  });
  return client;
}

function codeOf(error: unknown): Code {
  return ConnectError.from(error).code;
}
