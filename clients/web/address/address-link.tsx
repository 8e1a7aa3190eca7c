/** A link to another view of this page. It opens in place; new tabs and windows work as usual. */
import type { ComponentProps, MouseEvent } from "react";
import { type Address, hrefOf } from "./address.ts";
import { go, useAddress } from "./use-address.ts";

type Props = Omit<ComponentProps<"a">, "href"> & { readonly change: Partial<Address> };

export function AddressLink({ change, onClick, ...attributes }: Props) {
  const { address } = useAddress();
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    const isForBrowser =
      event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
    if (isForBrowser) return;
    event.preventDefault();
    go(change);
  };
  return <a {...attributes} href={hrefOf({ ...address, ...change })} onClick={follow} />;
}
