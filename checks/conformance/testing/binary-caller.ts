/** Calls an operation with binary protobuf, through the client of connect-es. */
import { type Client, createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { BucketFoldersService } from "@stowage/api/svc/api/v1/bucket_folders_service_pb";
import { BucketUploadsService } from "@stowage/api/svc/api/v1/bucket_uploads_service_pb";
import type { Caller } from "../model/caller.ts";
import type { Deployment } from "./deployment.ts";

interface BinaryClients {
  uploads: Client<typeof BucketUploadsService>;
  folders: Client<typeof BucketFoldersService>;
}

export function binaryClients({ url, issuer }: Deployment, caller: Caller): BinaryClients {
  const transport = createConnectTransport({
    baseUrl: url,
    httpVersion: "1.1",
    useBinaryFormat: true,
    interceptors: [
      (next) => (request) => {
        request.header.set("authorization", `Bearer ${issuer.mint(caller)}`);
        return next(request);
      },
    ],
  });
  return {
    uploads: createClient(BucketUploadsService, transport),
    folders: createClient(BucketFoldersService, transport),
  };
}
