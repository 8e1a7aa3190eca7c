import assert from "node:assert/strict";
import { createPublicKey } from "node:crypto";
import { describe, it } from "node:test";
import { compactVerify } from "jose";
import { staticKeySet } from "./key-set/key-set.ts";
import { createAccessTokenValidator } from "./validator.ts";
import { verifySignature } from "./verify-signature.ts";

interface Example {
  n: string;
  header: string;
  payload: string;
  signature: string;
}

const examples: Record<string, Example> = {
  "RFC 7515 appendix A.2": {
    n:
      "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0" +
      "Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXnd" +
      "S5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJ" +
      "H7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ",
    header: "eyJhbGciOiJSUzI1NiJ9",
    payload:
      "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0" +
      "cnVlfQ",
    signature:
      "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W" +
      "2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkS" +
      "jtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnv" +
      "Wh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw",
  },
  "RFC 7520 section 4.1": {
    n:
      "n4EPtAOCc9AlkeQHPzHStgAbgs7bTZLwUBZdR8_KuKPEHLd4rHVTeT-O-XV2jRojdNhxJWTDvNd7nqQ0VEiZQHz_A" +
      "JmSCpMaJMRBSFKrKb2wqVwGU_NsYOYL-QtiWN2lbzcEe6XC0dApr5ydQLrHqkHHig3RBordaZ6Aj-oBHqFEHYpPe7" +
      "Tpe-OfVfHd1E6cS6M1FZcD1NNLYD5lFHpPI9bTwJlsde3uhGqC0ZCuEHg8lhzwOHrtIQbS0FVbb9k3-tVTU4fg_3L_" +
      "vniUFAKwuCLqKnS2BYwdq_mzSnbLY7h_qixoR7jig3__kRhuaxwUkRz5iaiQkqgc5gHdrNP5zw",
    header: "eyJhbGciOiJSUzI1NiIsImtpZCI6ImJpbGJvLmJhZ2dpbnNAaG9iYml0b24uZXhhbXBsZSJ9",
    payload:
      "SXTigJlzIGEgZGFuZ2Vyb3VzIGJ1c2luZXNzLCBGcm9kbywgZ29pbmcgb3V0IHlvdXIgZG9vci4gWW91IHN0ZXAg" +
      "b250byB0aGUgcm9hZCwgYW5kIGlmIHlvdSBkb24ndCBrZWVwIHlvdXIgZmVldCwgdGhlcmXigJlzIG5vIGtub3dp" +
      "bmcgd2hlcmUgeW91IG1pZ2h0IGJlIHN3ZXB0IG9mZiB0by4",
    signature:
      "MRjdkly7_-oTPTS3AXP41iQIGKa80A0ZmTuV5MEaHoxnW2e5CZ5NlKtainoFmKZopdHM1O2U4mwzJdQx996ivp83" +
      "xuglII7PNDi84wnB-BDkoBwA78185hX-Es4JIwmDLJK3lfWRa-XtL0RnltuYv746iYTh_qHRD68BNt1uSNCrUCTJ" +
      "Dt5aAE6x8wW1Kt9eRo4QPocSadnHXFxnt8Is9UzpERV0ePPQdLuW3IS_de3xyIrDaLGdjluPxUAhb6L2aXic1U12" +
      "podGU0KLUQSE_oI-ZnmKJ3F4uOZDnd6QZWJushZ41Axf_fcIe8u9ipH84ogoree7vjbU5y18kDquDg",
  },
};

describe("verifySignature", () => {
  for (const [name, { n, header, payload, signature }] of Object.entries(examples)) {
    const key = createPublicKey({ format: "jwk", key: { kty: "RSA", n, e: "AQAB" } });
    const bytes = Buffer.from(signature, "base64url");
    const token = `${header}.${payload}.${signature}`;

    it(`accepts the example of ${name}, as another library does`, async () => {
      verifySignature({ unverifiedText: `${header}.${payload}`, unverifiedSignature: bytes }, key);
      await compactVerify(token, key);
    });

    it(`refuses the example of ${name} with another payload`, () => {
      const unverifiedText = `${header}.${payload}A`;
      assert.throws(() => verifySignature({ unverifiedText, unverifiedSignature: bytes }, key), {
        reason: "SIGNATURE_INVALID",
      });
    });

    it(`refuses the example of ${name} with any one bit of its signature changed`, () => {
      const unverifiedText = `${header}.${payload}`;
      for (let bit = 0; bit < 8 * bytes.length; bit++) {
        const changed = Buffer.from(bytes);
        changed[bit >> 3]! ^= 1 << (bit & 7);
        assert.throws(
          () => verifySignature({ unverifiedText, unverifiedSignature: changed }, key),
          {
            reason: "SIGNATURE_INVALID",
          },
        );
      }
    });

    it(`refuses the example of ${name} as an access token: it has no typ`, async () => {
      const jwk = { kty: "RSA", kid: "bilbo.baggins@hobbiton.example", n, e: "AQAB" };
      const keySet = staticKeySet({ keys: [jwk] });
      const validator = createAccessTokenValidator({ issuer: "joe", audience: "frodo", keySet });
      await assert.rejects(validator.validate(token), {
        reason: "TOKEN_MALFORMED",
        detail: 'unverified typ is undefined, need "JWT"',
      });
    });
  }
});
