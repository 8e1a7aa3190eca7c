/**
 * The address of the content of an upload that a source mirrors. The index has it without the
 * address of the service, which may change; answers get it complete.
 */

/** As SQL, for an upload of the bucket and ID that the expressions give. */
export function storedContentUrl(bucketId: string, uploadId: string): string {
  return `'/content/' || ${bucketId} || '/' || ${uploadId}`;
}

/**
 * Returns a function that completes the addresses in JSON documents of uploads of a bucket. It
 * returns the same bytes if there are none. Nothing else contains the bytes that it looks for: the
 * quotes of a string within JSON are escaped, and the address names the bucket itself.
 */
export function completeContentUrls(baseUrl: string, bucketId: string): (json: Buffer) => Buffer {
  const path = `/content/${bucketId}/`;
  const stored = `"contentUrl":"${path}`;
  const storedBytes = Buffer.from(stored);
  return (json) => {
    if (!json.includes(storedBytes)) return json;
    const url = JSON.stringify(baseUrl.replace(/\/$/, "") + path);
    const completed = Buffer.from(`"contentUrl":${url.slice(0, -1)}`).toString("latin1");
    // With each byte as a character, this takes a tenth of the time of copying buffers.
    return Buffer.from(json.toString("latin1").split(stored).join(completed), "latin1");
  };
}
