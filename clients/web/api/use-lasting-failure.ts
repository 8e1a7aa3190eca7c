import type { UseQueryResult } from "@tanstack/react-query";
import { useState } from "react";

interface LastingFailure {
  readonly hasFailed: boolean;
  /** For the reader, who sees that something happens. */
  readonly retry: () => Promise<void>;
}

/**
 * Whether a query without data has failed. Its own error is forgotten each time that it is
 * repeated: a message would come and go, be read aloud again and lose the focus.
 */
export function useLastingFailure({
  data,
  isFetchedAfterMount,
  refetch,
}: UseQueryResult): LastingFailure {
  const [isRetrying, setIsRetrying] = useState(false);
  return {
    hasFailed: data === undefined && isFetchedAfterMount && !isRetrying,
    async retry() {
      setIsRetrying(true);
      await refetch();
      setIsRetrying(false);
    },
  };
}
