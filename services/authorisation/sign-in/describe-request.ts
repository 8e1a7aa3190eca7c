/** What a request asks for, as the pages show it. */
import { describeDetails } from "../authorization-details/describe-details.ts";
import { readDetails } from "../authorization-details/read-details.ts";
import { describeScopes } from "../model/scopes.ts";
import { type Html, html } from "../pages/html.ts";

/** The parameters of a request that say what it asks for. */
export interface RequestParameters {
  scope?: string;
  resource?: string | string[];
  authorization_details?: string;
}

/** The part of a page that lists it. `authUrl` is the issuer. */
export function describeRequest(
  clientName: string,
  { scope, resource, authorization_details: details }: RequestParameters,
  authUrl: string,
): Html {
  const limits = describeDetails(readDetails(details) ?? []);
  const resources = [resource ?? []].flat();
  return html`<h2 id="scopes">${clientName} asks to:</h2>
<ul aria-labelledby="scopes">
${items(describeScopes(scope?.split(" ") ?? []))}</ul>
${
  limits.length > 0 &&
  html`<h2 id="limits">Of all that, only this:</h2>
<ul aria-labelledby="limits">
${items(limits)}</ul>
`
}<h2 id="resources">It may do so at:</h2>
<ul aria-labelledby="resources">
${items(resources.map((each) => (each === authUrl ? "this service" : each)))}</ul>`;
}

function items(texts: readonly string[]) {
  return texts.map((text) => html`<li>${text}</li>\n`);
}
