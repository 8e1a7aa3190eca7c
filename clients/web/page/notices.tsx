/** Lines below the header: what is wrong with the session, connection, address or sources. */
import "./notices.css";
import { onlineManager, type QueryCache, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useSyncExternalStore } from "react";
import { AddressLink } from "../address/address-link.tsx";
import { useAddress } from "../address/use-address.ts";
import { isTemporary } from "../api/call-error.ts";
import type { Source } from "../buckets/bucket.ts";
import { sourceNoticesOf } from "../buckets/source-states.ts";
import { RetryButton } from "../focus/retry-button.tsx";
import { SignInLink } from "../session/sign-in-link.tsx";
import { formatName } from "../text/format.ts";
import { strings } from "../text/strings.ts";

interface Props {
  readonly isSessionEnded: boolean;
  /** Why the buckets could not be read again; empty if they were, or another notice says it. */
  readonly bucketsFailure: string;
  readonly sources: readonly Source[];
  /** Uploads in the bucket. */
  readonly uploadCount: number;
}

export function Notices({ isSessionEnded, bucketsFailure, sources, uploadCount }: Props) {
  const { problems } = useAddress();
  const isOnline = useSyncExternalStore(subscribeToOnline, () => onlineManager.isOnline());
  return (
    <div className="notices" role="status">
      {isSessionEnded && (
        <Notice kind="trouble" text={strings.page.sessionEnded}>
          <SignInLink>{strings.page.signInAgain}</SignInLink>
        </Notice>
      )}
      {!isOnline && <Notice kind="trouble" text={strings.page.offline} />}
      {isOnline && !isSessionEnded && <UnavailableNotice />}
      {bucketsFailure !== "" && (
        <Notice kind="trouble" text={strings.buckets.failed(bucketsFailure)} />
      )}
      {problems.length > 0 && (
        <Notice
          kind="trouble"
          text={problems
            .map(({ parameter, value, allowed }) =>
              strings.page.wrongParameter(parameter, formatName(value), allowed),
            )
            .join(" ")}
        >
          {strings.page.wrongParameterIgnored}{" "}
          <AddressLink change={{}}>{strings.page.correctAddress}</AddressLink>
        </Notice>
      )}
      {sourceNoticesOf(sources, uploadCount, Date.now()).map(
        ({ sourceId, text, message, isTrouble }) => (
          <Notice key={sourceId} kind={isTrouble ? "trouble" : "quiet"} text={text}>
            {message !== "" && (
              <details>
                <summary>{strings.buckets.message}</summary>
                <bdi>{message}</bdi>
              </details>
            )}
          </Notice>
        ),
      )}
    </div>
  );
}

function UnavailableNotice() {
  const client = useQueryClient();
  if (!useIsUnavailable()) return null;
  const retry = () => {
    void client.refetchQueries({ type: "active", predicate: ({ state }) => state.error !== null });
  };
  return (
    <Notice kind="trouble" text={strings.page.unavailable}>
      <RetryButton onRetry={retry} />
    </Notice>
  );
}

/** Whether a call that something on the screen waits for fails because the service is away. */
function useIsUnavailable(): boolean {
  const cache = useQueryClient().getQueryCache();
  return useSyncExternalStore(
    (onChange) => cache.subscribe(onChange),
    () => hasFailed(cache),
  );
}

function hasFailed(cache: QueryCache): boolean {
  return cache
    .findAll({ type: "active" })
    .some(({ state }) => state.error !== null && isTemporary(state.error));
}

interface NoticeProps {
  readonly kind: "trouble" | "quiet";
  readonly text: string;
  readonly children?: ReactNode;
}

function Notice({ kind, text, children }: NoticeProps) {
  return (
    <div className={`notice is-${kind}`}>
      <bdi>{text}</bdi> {children}
    </div>
  );
}

function subscribeToOnline(onChange: () => void): () => void {
  return onlineManager.subscribe(onChange);
}
