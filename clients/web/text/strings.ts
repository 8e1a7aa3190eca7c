/** Every text that the page shows. */
export const strings = {
  page: {
    title: "Stowage",
    loading: "Loading…",
    signIn: "Sign in",
    signOut: "Sign out",
    signedInAs: (name: string) => `Signed in as ${name}`,
    sessionEnded: "Your session has ended.",
    retry: "Try again",
    failed: "This cannot be shown at the moment.",
    offline: "There is no connection. What you see may be out of date.",
    wrongParameter: (parameter: string, value: string, allowed: string) =>
      `The address has “${value}” for ${parameter}. Allowed: ${allowed}.`,
  },
  buckets: {
    label: "Bucket",
    none: "You may see no bucket.",
    unknown: (hostname: string) => `There is no bucket ${hostname} that you may see.`,
  },
  folders: {
    label: "Folders",
  },
  uploads: {
    label: "Uploads",
    search: "Search by name",
  },
  upload: {
    label: "Upload",
    copyDownloadLink: "Copy download link",
  },
  space: {
    label: "Where the bytes are",
  },
} as const;
