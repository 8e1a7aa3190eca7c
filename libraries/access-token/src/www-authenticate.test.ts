import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { refusalMessages, type TokenRefusalReason } from "./token-refused-error.ts";
import { wwwAuthenticate } from "./www-authenticate.ts";

const reasons = Object.keys(refusalMessages) as TokenRefusalReason[];

describe("wwwAuthenticate", () => {
  it("names no error if there was no token", () => {
    assert.equal(wwwAuthenticate("TOKEN_MISSING"), 'Bearer realm="api"');
  });

  it("has invalid_request for a header that is not one token", () => {
    assert.equal(
      wwwAuthenticate("AUTHORIZATION_MALFORMED"),
      'Bearer realm="api", error="invalid_request", ' +
        'error_description="The Authorization header must be one bearer token."',
    );
  });

  it("has invalid_token for a refused token, and the realm", () => {
    assert.equal(
      wwwAuthenticate("TOKEN_EXPIRED", { realm: "The archive, [east]", scope: "a" }),
      'Bearer realm="The archive, [east]", error="invalid_token", ' +
        'error_description="The access token has expired."',
    );
  });

  it("names the required scope", () => {
    const described =
      'Bearer realm="api", error="insufficient_scope", ' +
      'error_description="The access token lacks the scope that this request needs."';
    assert.equal(
      wwwAuthenticate("SCOPE_MISSING", { scope: "upl:bucket:read" }),
      `${described}, scope="upl:bucket:read"`,
    );
    assert.equal(wwwAuthenticate("SCOPE_MISSING"), described);
    assert.throws(() => wwwAuthenticate("SCOPE_MISSING", { scope: 'a", x="b' }), TypeError);
  });

  it("has insufficient_scope without a scope if an authorization detail is missing", () => {
    assert.equal(
      wwwAuthenticate("AUTHORIZATION_DETAIL_MISSING", { scope: "upl:bucket:read" }),
      'Bearer realm="api", error="insufficient_scope", error_description=' +
        '"The access token lacks the authorization detail that this request needs."',
    );
  });

  for (const realm of ["", 'a"', "a\\", "a\r\nX: y", "é", "\x7f", "a".repeat(129), null, 7]) {
    it(`refuses the realm ${JSON.stringify(realm)}`, () => {
      assert.throws(() => wwwAuthenticate("TOKEN_MISSING", { realm: realm as string }), TypeError);
    });
  }

  for (const reason of reasons) {
    it(`is a well-formed header for ${reason}`, () => {
      const parameter = '[a-z_]+="[\\x20\\x21\\x23-\\x5b\\x5d-\\x7e]+"';
      assert.match(wwwAuthenticate(reason), new RegExp(`^Bearer ${parameter}(, ${parameter})*$`));
    });
  }
});
