/** A request as the contract writes it, as the bytes that go over the wire. */

/** @param body bytes are a message in binary protobuf. */
export function httpRequest(path: string, token: string, body: object | Uint8Array): Buffer {
  const isBinary = body instanceof Uint8Array;
  const content = isBinary ? body : Buffer.from(JSON.stringify(body));
  const head = [
    `POST ${path} HTTP/1.1`,
    "Host: 127.0.0.1",
    `Authorization: Bearer ${token}`,
    "Connect-Protocol-Version: 1",
    `Content-Type: application/${isBinary ? "proto" : "json"}`,
    `Content-Length: ${content.byteLength}`,
  ];
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), content]);
}
