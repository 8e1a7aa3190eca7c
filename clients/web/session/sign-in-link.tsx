import { useAddress } from "../address/use-address.ts";
import { keepView } from "./kept-view.ts";
import { signInHref } from "./session.ts";

/** Signs the reader in, and returns to the view that is shown. */
export function SignInLink({ children }: { readonly children: string }) {
  // The view may change while the link is shown.
  useAddress();
  return (
    <a href={signInHref()} onClick={keepView}>
      {children}
    </a>
  );
}
