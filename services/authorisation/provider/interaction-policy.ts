/** When a person must sign in, or consent (the prompts of OpenID Connect Core section 3.1.2.1). */
import type { Client, KoaContextWithOIDC } from "oidc-provider";
import type { Person } from "../grants/person-tokens.ts";
import { registeredClient } from "../grants/registered-client.ts";
import { interactionPolicy as libraryPolicy } from "../overrides/library.ts";
import { isSignedOut } from "../store/accounts.ts";

/** The library's policy, with one more prompt, and two more reasons to sign in. */
export function interactionPolicy() {
  const prompts = libraryPolicy.base();
  const { Check, Prompt } = libraryPolicy;
  prompts.add(new Prompt({ name: "select_account", requestable: true }), 0);
  const checks = prompts.get("login")?.checks;
  checks?.add(
    new Check(
      "other_organisation",
      "the client is for people of another organisation",
      "login_required",
      ({ oidc }) => {
        if (oidc.account === undefined) return false;
        return isOfOtherOrganisation(oidc.account as Person, oidc.client);
      },
    ),
  );
  checks?.add(new Check("signed_out", "the person was signed out", "login_required", isSignInOver));
  // A first-party client only limits itself with authorization details.
  const details = prompts.get("consent")?.checks.get("rar_prompt");
  if (details !== undefined) {
    const ask = details.check;
    details.check = (ctx) => !registeredClient(ctx.oidc.client as never).isFirstParty && ask(ctx);
  }
  return prompts;
}

/** Whether a person belongs to an organisation that the client is not for. */
export function isOfOtherOrganisation(person: Person, client: Client | undefined): boolean {
  if (client === undefined) return false;
  const { organisationId, isForAnyOrganisation } = registeredClient(client);
  return !isForAnyOrganisation && person.organisationId !== organisationId;
}

/** Whether the account was removed, or signed out everywhere, after the sign-in. */
function isSignInOver({ oidc: { session, account } }: KoaContextWithOIDC): boolean {
  if (session?.accountId === undefined) return false;
  return account === undefined || isSignedOut(account as Person, session.loginTs);
}
