import assert from "node:assert/strict";
import { it } from "node:test";
import { isLogoutUri } from "./client-uris.ts";

it("a logout address may be https, or http on this machine", () => {
  const good = [
    "https://app.example/logout?tenant=1",
    "https://10.0.0.7:8443/",
    "http://localhost/",
  ];
  good.push("http://127.0.0.1:4000/logout", "http://127.9.9.9/", "http://[::1]:4000/logout");
  for (const address of good) assert.ok(isLogoutUri(address), address);
});

it("no other logout address is allowed", () => {
  const schemes = ["http://app.example/", "ftp://app.example/", "file:///etc/passwd", "data:,a"];
  const hosts = ["http://127.0.0.1.example/", "http://localhost.example/", "http://[::2]/"];
  const parts = ["https://a:b@app.example/", "https://a@app.example/", "https://app.example/#a"];
  const others = ["", "/logout", "app.example", "https://", "https://app.example/#"];
  for (const address of [...schemes, ...hosts, ...parts, ...others]) {
    assert.ok(!isLogoutUri(address), address);
  }
  assert.ok(!isLogoutUri(`https://app.example/${"a".repeat(2048)}`));
});
