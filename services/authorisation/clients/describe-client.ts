/** A new client as people read it. */

const labels = {
  clientId: "client id",
  clientSecret: "client secret",
  organisationId: "organisation",
  applicationId: "application",
  name: "name",
  scopes: "scopes",
  redirectUris: "redirect URIs",
};

/** Describes a client, a line for each thing that there is to say. */
export function describeClient(
  client: Partial<Record<keyof typeof labels, string | readonly string[]>>,
): string {
  const lines = Object.entries(labels).flatMap(([key, label]) => {
    const value = client[key as keyof typeof labels];
    const text = typeof value === "object" ? value.join(" ") : value;
    return text ? [`${label.padEnd(15)}${text}\n`] : [];
  });
  const advice = client.clientSecret
    ? "Keep the secret now: it is not stored and cannot be shown again.\n"
    : "";
  return lines.join("") + advice;
}
