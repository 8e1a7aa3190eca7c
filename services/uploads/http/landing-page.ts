/** The page at the service's address, for people who open it in a browser. */
import { createHash } from "node:crypto";
import type { NodeRequest, NodeResponse } from "./node-http.ts";

/** Answers `GET /` and returns true. Returns false for any other request. */
export function serveLandingPage(request: NodeRequest, response: NodeResponse): boolean {
  const { method, url } = request;
  if (url?.split("?", 1)[0] !== "/" || (method !== "GET" && method !== "HEAD")) return false;
  response.statusCode = 200;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  // Node sends no body for HEAD.
  response.end(page);
  return true;
}

const style = `
:root { color-scheme: light dark; }
body { font: 1rem/1.6 system-ui, sans-serif; max-width: 46rem; margin: 3rem auto; padding: 0 1rem; }
code, pre { font-family: ui-monospace, monospace; font-size: 0.9em; }
pre { padding: 1rem; overflow-x: auto; border: 1px solid; border-radius: 0.4rem; }
dt { font-weight: 600; } dd { margin: 0 0 0.8rem 1.5rem; }
`;

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Stowage: uploads service</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>Stowage</h1>
<p>This is the address of the uploads service, for programs. To look at files in a browser, open the
page, which has an address of its own: <code>npm start</code> prints it.</p>
<h2>Operations</h2>
<p>All of them need an access token with the scope <code>upl:bucket:read</code>.</p>
<dl>
<dt><code>POST /svc.api.v1.BucketUploadsService/ListUploads</code></dt>
<dd>The uploads of a bucket, filtered by path, time, tags and name, sorted, in pages.</dd>
<dt><code>POST /svc.api.v1.BucketFoldersService/ListFolderTree</code></dt>
<dd>The folders of a bucket as a tree, with their uploads and totals on request.</dd>
<dt><code>POST /stowage.v1.BucketsService/ListBuckets</code></dt>
<dd>The buckets that the token may see.</dd>
<dt><code>POST /stowage.v1.ContentService/CreateContentLink</code></dt>
<dd>A link to the content of an upload, which needs no token.</dd>
<dt><code>GET /content/{bucketId}/{uploadId}</code></dt>
<dd>The content of an upload.</dd>
</dl>
<p>The first four support Connect (JSON or binary), gRPC and gRPC-Web. <code>GET /healthz</code> and
<code>GET /readyz</code> report the state of the service.</p>
<h2>How to call it</h2>
<p>In the checkout that this service was started from:</p>
<pre tabindex="0"><code>TOKEN=$(npx stowage token)
BASE_URL=http://127.0.0.1:8080 # or the address of this page
curl -sS -H "Authorization: Bearer $TOKEN" -H 'Connect-Protocol-Version: 1' \\
  -H 'Content-Type: application/json' -d '{"pageSize": 50}' \\
  "$BASE_URL/svc.api.v1.BucketUploadsService/ListUploads"</code></pre>
<p>Or without getting a token first: <code>npx stowage ls</code> and
<code>npx stowage tree</code>.</p>
<h2>Documentation</h2>
<ul>
<li><code>README.md</code>: what Stowage is and how to begin</li>
<li><code>docs/running.md</code>: how to install and operate it</li>
<li><code>api/</code>: what fields and filters mean; <code>api/errors.md</code>,
<code>api/openapi.json</code>: errors and operations</li>
</ul>
</main>
</body>
</html>
`;

const headers: Readonly<Record<string, string | number>> = {
  "content-type": "text/html; charset=utf-8",
  "content-length": Buffer.byteLength(page),
  "cache-control": "no-cache",
  // Nothing is loaded and no script runs. The style is allowed by its hash.
  "content-security-policy": [
    "default-src 'none'",
    `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};
