/** The header, what the reader must know at the moment, and the bucket below. */
import { useRef } from "react";
import { defaultAddress } from "../address/address.ts";
import { AddressLink } from "../address/address-link.tsx";
import { useAddress } from "../address/use-address.ts";
import { messageOf } from "../api/call-error.ts";
import type { Bucket } from "../buckets/bucket.ts";
import { useBucketChanges } from "../buckets/bucket-changes.ts";
import { useBuckets } from "../buckets/use-buckets.ts";
import { focusList } from "../focus/focus-list.ts";
import { KeysDialog } from "../keys/keys-dialog.tsx";
import type { Session } from "../session/session.ts";
import { useIsIdle } from "../session/use-is-idle.ts";
import { formatName } from "../text/format.ts";
import { strings } from "../text/strings.ts";
import { useIsNarrow } from "../uploads/use-is-narrow.ts";
import { BucketView } from "./bucket-view.tsx";
import { Failure } from "./failure.tsx";
import { Header } from "./header.tsx";
import { Notices } from "./notices.tsx";
import { useTitle } from "./page-title.ts";
import { usePageKeys } from "./use-page-keys.ts";

interface Props {
  readonly session: Session;
  readonly isSessionEnded: boolean;
}

export function SignedInPage({ session, isSessionEnded }: Props) {
  const { address } = useAddress();
  const buckets = useBuckets(useIsIdle() || isSessionEnded);
  const bucket =
    address.bucket === ""
      ? (buckets.data?.find(({ primary }) => primary) ?? buckets.data?.[0])
      : buckets.data?.find(({ hostname }) => hostname === address.bucket.toLowerCase());
  const keysDialog = useRef<HTMLDialogElement>(null);
  const drawer = useRef<HTMLDialogElement>(null);
  const isNarrow = useIsNarrow();
  useBucketChanges(bucket);
  useTitle(address, bucket?.hostname ?? formatName(address.bucket));
  usePageKeys(() => keysDialog.current?.showModal());
  return (
    <div className="page">
      <button type="button" className="page-skip" onClick={focusList}>
        {strings.page.skip}
      </button>
      <Header
        session={session}
        buckets={buckets.data ?? []}
        bucket={bucket}
        onShowFolders={isNarrow && bucket ? () => drawer.current?.showModal() : undefined}
        onShowKeys={() => keysDialog.current?.showModal()}
      />
      <Notices
        isSessionEnded={isSessionEnded}
        bucketsFailure={buckets.isRefetchError ? messageOf(buckets.error) : ""}
        sources={bucket?.sources ?? []}
        uploadCount={bucket?.uploadCount ?? 0}
      />
      {bucket === undefined ? (
        <NoBucket query={buckets} hostname={address.bucket} isSessionEnded={isSessionEnded} />
      ) : (
        <BucketView bucket={bucket} drawer={drawer} isNarrow={isNarrow} />
      )}
      <KeysDialog ref={keysDialog} />
    </div>
  );
}

interface NoBucketProps {
  readonly query: ReturnType<typeof useBuckets>;
  readonly hostname: string;
  readonly isSessionEnded: boolean;
}

function NoBucket({ query, hostname, isSessionEnded }: NoBucketProps) {
  if (query.data === undefined) {
    if (query.error === null || isSessionEnded) {
      return <p className="page-message">{strings.page.loading}</p>;
    }
    const text = strings.buckets.failed(messageOf(query.error));
    return <Failure text={text} onRetry={() => void query.refetch()} />;
  }
  if (query.data.length === 0) return <Failure text={strings.buckets.none} />;
  return (
    <Failure text={strings.buckets.unknown(formatName(hostname))}>
      <p>{strings.buckets.others}</p>
      <BucketLinks buckets={query.data} />
    </Failure>
  );
}

/** More are in the list of the header. */
const linksMax = 20;

/** Ways on from a bucket that does not exist. */
function BucketLinks({ buckets }: { readonly buckets: readonly Bucket[] }) {
  return (
    <ul>
      {buckets.slice(0, linksMax).map(({ bucketId, hostname }) => (
        <li key={bucketId}>
          <AddressLink change={{ ...defaultAddress, bucket: hostname }}>
            <bdi>{hostname}</bdi>
          </AddressLink>
        </li>
      ))}
    </ul>
  );
}
