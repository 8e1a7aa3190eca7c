/**
 * What a part of a package may import from the same package: every part listed after it
 * (`"below"`), or only the parts that it names. They too must be listed after it, so the order has
 * no cycles.
 *
 * A part is a folder, or a file without `.ts`, relative to the package. A file belongs to the part
 * with the longest matching path, so `fairness/slots` can be a part beside `fairness`.
 */
export type FolderOrder = Readonly<Record<string, "below" | readonly string[]>>;

/** By the folder of the package. Packages that are not listed have no order. */
export type FolderOrders = Readonly<Record<string, FolderOrder>>;

export const folderOrders: FolderOrders = {
  "services/uploads": {
    main: ["service", "connection-budget", "postgres", "settings"],
    "connection-budget": ["fairness/slots", "settings"],
    service: "below",
    handlers: "below",
    "database-pools": ["fairness", "fairness/slots", "lists", "postgres", "settings"],
    commands: "below",
    "command-line": ["import", "postgres", "model"],
    check: "below",
    folders: [
      "buckets",
      "query",
      "search",
      "access",
      "answers",
      "fairness",
      "postgres",
      "calls",
      "model",
    ],
    buckets: ["sources", "access", "fairness", "postgres", "calls", "model"],
    export: ["answers", "postgres", "json", "model"],
    content: ["sources", "access", "fairness", "postgres", "http", "calls", "model"],
    http: ["telemetry", "calls", "model"],
    lists: [
      "skip-index",
      "query",
      "search",
      "access",
      "answers",
      "fairness",
      "postgres",
      "calls",
      "model",
    ],
    query: ["access", "model"],
    trees: ["search", "access", "fairness", "answers", "postgres", "calls", "json", "model"],
    sources: ["import", "postgres", "model"],
    import: ["skip-index", "search", "answers", "postgres", "model"],
    "skip-index": ["search", "postgres", "model"],
    search: ["access", "postgres", "model"],
    access: ["fairness", "postgres", "telemetry", "calls", "model"],
    fairness: ["fairness/slots", "postgres", "model"],
    answers: ["postgres", "json", "model"],
    postgres: ["json", "model"],
    telemetry: ["calls", "model"],
    calls: [],
    "fairness/slots": [],
    json: ["model"],
    model: [],
    settings: [],
  },
  "services/authorisation": {
    main: "below",
    service: "below",
    "background-work": "below",
    commands: ["settings", "signing", "store", "model"],
    settings: ["http", "signing", "model"],
    provider: "below",
    account: "below",
    devices: "below",
    "sign-in": "below",
    logout: "below",
    http: ["metrics", "limits", "overrides", "model", "pages"],
    grants: "below",
    signing: "below",
    metrics: [],
    store: ["limits", "model"],
    "authorization-details": ["overrides", "model"],
    overrides: ["limits", "model", "pages"],
    limits: [],
    model: [],
    pages: [],
  },
  "services/web": {
    main: ["service", "settings"],
    service: "below",
    "background-work": "below",
    "sign-in": ["session", "issuer", "http", "store", "model"],
    proxy: ["session", "http", "model"],
    page: ["http", "model"],
    session: ["issuer", "http", "store", "model"],
    issuer: ["model"],
    http: ["metrics", "model"],
    metrics: [],
    store: [],
    settings: [],
    model: [],
  },
};
