/** The texts of the search field, and of common values of filters. */
export const queryStrings = {
  label: "Search",
  placeholder: "Search files and folders",
  searchIn: (path: string) => `Search in ${path} and below`,
  suggestions: "Filters to search with",
  wrong: (name: string, need: string) => `${name}: needs ${need}.`,
  tooMany: (most: number) => `Only the first ${most} words and ${most} filters are used.`,
  filters: {
    ext: "by the end of the name, such as pdf",
    type: "pictures, videos, documents …",
    tag: "with this tag",
    size: "by size, such as >100MB",
    created: "by the date of creation",
    changed: "by the date of the last change",
    in: "in this folder, such as /photos",
  },
  sizes: {
    "<1MB": "under 1 MB",
    ">1MB": "over 1 MB",
    ">10MB": "over 10 MB",
    ">100MB": "over 100 MB",
    ">1GB": "over 1 GB",
    ">10GB": "over 10 GB",
  },
  times: {
    today: "today",
    yesterday: "yesterday",
    "<7d": "in the last 7 days",
    "<30d": "in the last 30 days",
    "<1y": "in the last 365 days",
    ">1y": "more than 365 days ago",
    ">2y": "more than 2 years ago",
  },
  calendar: {
    month: "last month",
    year: "last year",
  },
} as const;
