import { type QueryCache, useQueryClient } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { isPassing } from "../api/call-error.ts";

/** Whether a call that something on the screen waits for fails because the service is away. */
export function useIsUnavailable(): boolean {
  const cache = useQueryClient().getQueryCache();
  return useSyncExternalStore(
    (onChange) => cache.subscribe(onChange),
    () => hasFailed(cache),
  );
}

function hasFailed(cache: QueryCache): boolean {
  return cache
    .findAll({ type: "active" })
    .some(({ state }) => state.error !== null && isPassing(state.error));
}
