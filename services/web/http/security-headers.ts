/** The headers that limit what a browser lets an answer do. */
import type { OutgoingHttpHeaders } from "node:http";

/** A year. Set only where the page's own address is https. */
const strictTransport = "max-age=31536000";

/** Nothing on the page uses these. */
const permissions = [
  "accelerometer",
  "camera",
  "display-capture",
  "geolocation",
  "gyroscope",
  "hid",
  "magnetometer",
  "microphone",
  "midi",
  "payment",
  "publickey-credentials-get",
  "serial",
  "usb",
  "xr-spatial-tracking",
]
  .map((feature) => `${feature}=()`)
  .join(", ");

/** For every answer; the page itself and content have other policies. */
export function commonHeaders(origin: string): OutgoingHttpHeaders {
  return {
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": permissions,
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    ...(origin.startsWith("https:") && { "Strict-Transport-Security": strictTransport }),
  };
}

/** The policy of the page: everything comes from its own server, and no script or style inline. */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "connect-src 'self'",
  "img-src 'self' blob: data:",
  "media-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
].join("; ");

/**
 * For content, which is hostile: everyone who may write to a source can put it there. No script of
 * it runs, whatever type a browser detects.
 */
export const contentHeaders: OutgoingHttpHeaders = {
  "Content-Security-Policy":
    "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; " +
    "frame-ancestors 'self'; sandbox",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
};
