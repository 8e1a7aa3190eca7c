import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { CallError, errorOfResponse, isTemporary } from "../api/call-error.ts";
import { useLastingFailure } from "../api/use-lasting-failure.ts";
import { strings } from "../text/strings.ts";
import { Failure } from "./failure.tsx";

interface Props<Module> {
  readonly name: string;
  readonly load: () => Promise<Module>;
  readonly children: (module: Module) => ReactNode;
  /** Shown while the part cannot be loaded. */
  readonly wayOn?: ReactNode;
}

/** A part of the page that is loaded when it is first shown. Tries again as calls do. */
export function LoadedPart<Module>({ name, load, children, wayOn }: Props<Module>) {
  const query = useQuery({
    queryKey: ["part", name],
    queryFn: async () => {
      await checkRelease();
      return await load().catch((cause) => {
        // The server answers, so trying again for long does not help.
        throw new CallError("internal", `Cannot load ${name}`, { cause });
      });
    },
    // A download may break off.
    retry: 2,
    staleTime: Infinity,
    gcTime: Infinity,
  });
  const { hasFailed, retry } = useLastingFailure(query);
  const { data, error, isPaused } = query;
  if (data !== undefined) return children(data);
  if (error !== null && !isTemporary(error)) throw error;
  const { failed, waiting, loading } = strings.page;
  if (isPaused) return <Failure text={waiting}>{wayOn}</Failure>;
  if (!hasFailed) return <p className="page-message">{loading}</p>;
  return (
    <Failure text={failed} onRetry={retry}>
      {wayOn}
    </Failure>
  );
}

/**
 * Fails if the server does not answer, or no longer has the files of this release. Many browsers
 * remember that an import failed, and fail again at once: so this is checked before.
 */
async function checkRelease(): Promise<void> {
  const response = await fetch(import.meta.url, { method: "HEAD", cache: "no-store" });
  if (!response.ok) throw await errorOfResponse(response);
}
