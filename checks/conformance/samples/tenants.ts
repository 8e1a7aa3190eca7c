/** The organisations, buckets, integrations and callers of the samples. */
import type { Caller } from "../model/caller.ts";
import type { Line } from "../model/records.ts";

export const ownOrganisation = "organisation-own";
const otherOrganisation = "organisation-other";

export const bucketIds = {
  primary: "0b5c1d9e-3a58-4a5e-9c0e-1f1f4a6f0001",
  second: "0b5c1d9e-3a58-4a5e-9c0e-1f1f4a6f0002",
  foreign: "0b5c1d9e-3a58-4a5e-9c0e-1f1f4a6f0003",
  nowhere: "0b5c1d9e-3a58-4a5e-9c0e-1f1f4a6f0099",
};

/** Two integrations, each with its own client. */
export const integrationIds = {
  notes: "7e0fd4a2-0f6e-4f4c-8a54-6a1f00000001",
  scans: "7e0fd4a2-0f6e-4f4c-8a54-6a1f00000002",
  unknown: "7e0fd4a2-0f6e-4f4c-8a54-6a1f00000099",
};

export const callers = {
  reader: { organisationId: ownOrganisation, clientId: "11111111-0000-4000-8000-000000000001" },
  notes: { organisationId: ownOrganisation, clientId: "11111111-0000-4000-8000-000000000002" },
  scans: { organisationId: ownOrganisation, clientId: "11111111-0000-4000-8000-000000000003" },
  stranger: { organisationId: otherOrganisation, clientId: "11111111-0000-4000-8000-000000000004" },
  homeless: { clientId: "11111111-0000-4000-8000-000000000005" },
} satisfies Record<string, Caller>;

export function bucketLine(which: keyof typeof bucketIds): Line {
  const organisationId = which === "foreign" ? otherOrganisation : ownOrganisation;
  return {
    bucket: {
      bucketId: bucketIds[which],
      hostname: `${which}.example.com`,
      organisationId,
      primary: which !== "second",
    },
  };
}

export const integrationLines: readonly Line[] = [
  {
    integration: {
      integrationId: integrationIds.notes,
      name: "Notes",
      oauthClientId: callers.notes.clientId,
      folderBehavior: "INTEGRATION_FOLDER_BEHAVIOR_OPEN_LINK",
      folderLinkUrl: "https://notes.example.com/",
    },
  },
  {
    integration: {
      integrationId: integrationIds.scans,
      name: "Scans",
      oauthClientId: callers.scans.clientId,
    },
  },
];
