/**
 * Calls the services through the page's own server, which adds the token. The browser has only the
 * cookie of the session, which scripts cannot read.
 */
import { createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { BucketsService } from "@stowage/api/stowage/v1/buckets_service_pb";
import { ContentService } from "@stowage/api/stowage/v1/content_service_pb";
import { BucketUploadsService } from "@stowage/api/svc/api/v1/bucket_uploads_service_pb";

const transport = createConnectTransport({ baseUrl: window.location.origin });

export const uploadsClient = createClient(BucketUploadsService, transport);
export const bucketsClient = createClient(BucketsService, transport);
export const contentClient = createClient(ContentService, transport);
