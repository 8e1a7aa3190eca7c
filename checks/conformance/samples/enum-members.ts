/** An upload or folder for every member of every enumeration. */
import type { Line } from "../model/records.ts";

const uploadTypes = [
  "UNSPECIFIED",
  "IMAGE",
  "VIDEO",
  "AUDIO",
  "DOCUMENT",
  "ARCHIVE",
  "TEXT",
  "OTHER",
];
const metaUploadTypes = ["UNSPECIFIED", "THUMBNAIL", "PREVIEW", "TRANSCODE", "TEXT"];
const folderBehaviors = ["UNSPECIFIED", "OPEN_IN_FOLDER", "OPEN_LINK"];

export const enumMemberUploads: readonly Line[] = uploadTypes.map((member) => ({
  upload: {
    path: "/members",
    filename: member,
    sizeBytes: 1,
    type: `UPLOAD_TYPE_${member}`,
    metaUploads: metaUploadTypes.map((each, n) => ({
      type: { type: `MetaUploadType_${each}`, n, filename: "" },
      metadataId: "",
      uploadUrl: "",
      downloadUrl: "",
    })),
  },
}));

export const enumMemberFolders: readonly Line[] = folderBehaviors.flatMap((member, index) => {
  const scopingIntegrationId = `7e0fd4a2-0f6e-4f4c-8a54-6a1f0000b00${index}`;
  const folderBehavior = `INTEGRATION_FOLDER_BEHAVIOR_${member}`;
  return [
    { integration: { integrationId: scopingIntegrationId, folderBehavior } },
    { folder: { path: `/members/${member}`, scopingIntegrationId } },
    { upload: { path: "/", filename: member, sizeBytes: 0, integrationId: scopingIntegrationId } },
  ];
});
