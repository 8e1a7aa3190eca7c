/** The outcome when somebody does not want to (RFC 6749 section 4.1.2.1). */
export const declined = {
  error: "access_denied",
  error_description: "the person has declined",
};
