import assert from "node:assert/strict";
import { it } from "node:test";
import { cookieNameFor, readCookies, storeCookie } from "./cookies.ts";

it("only the cookie of an https page has Secure and the prefix that needs it", () => {
  const cookieOf = (origin: string) => storeCookie(cookieNameFor(origin, "__Host-s"), "1", 5);
  const secure = "__Host-s=1; Path=/; Max-Age=5; Secure; HttpOnly; SameSite=Lax";
  assert.equal(cookieOf("https://files.example.com"), secure);
  assert.equal(cookieOf("http://127.0.0.1:8080"), "s=1; Path=/; Max-Age=5; HttpOnly; SameSite=Lax");
});

it("a name or value keeps all spaces but those after a semicolon", () => {
  assert.deepEqual(readCookies("a=1; b=2;\t c =3;d= 4 ;\u00a0e=5; without a value"), [
    ["a", "1"],
    ["b", "2"],
    ["c ", "3"],
    ["d", " 4 "],
    ["\u00a0e", "5"],
  ]);
});
