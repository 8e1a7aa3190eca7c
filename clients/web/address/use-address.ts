/** The address as React state. Back and Forward work, since the browser's history is the state. */
import { useSyncExternalStore } from "react";
import { type Address, type AddressProblem, hrefOf, parseAddress } from "./address.ts";

/** Announces changes that this page makes: the browser announces only Back and Forward. */
const changes = new EventTarget();

function subscribe(onChange: () => void): () => void {
  window.addEventListener("popstate", onChange);
  changes.addEventListener("change", onChange);
  return () => {
    window.removeEventListener("popstate", onChange);
    changes.removeEventListener("change", onChange);
  };
}

let parsed = { query: "", ...parseAddress("") };

/** The same objects until the address changes, as React demands. */
function current() {
  const { search } = window.location;
  if (search !== parsed.query) parsed = { query: search, ...parseAddress(search) };
  return parsed;
}

export function useAddress(): {
  readonly address: Address;
  readonly problems: readonly AddressProblem[];
} {
  return useSyncExternalStore(subscribe, current);
}

/**
 * Changes the address. `replace` leaves no entry in the history: for text while it is typed, and
 * for steps that nobody wants to go back through.
 */
export function go(change: Partial<Address>, how: "push" | "replace" = "push"): void {
  const href = hrefOf({ ...current().address, ...change });
  if (how === "push") window.history.pushState(null, "", href);
  else window.history.replaceState(null, "", href);
  changes.dispatchEvent(new Event("change"));
}
