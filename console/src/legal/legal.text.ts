// Texts around the legal documents; the documents themselves are the Markdown files in this folder.
export const legalText = {
  imprint: "Imprint",
  privacy: "Data protection policy",
  licenses: "Licenses",
  eula: "End user license agreement", // fixed
  dpa: "Data processing agreement", // fixed
  contents: "Contents",
  table: (heading: string) => `Table: ${heading}`,
  version: (version: string, published: string) => `Version ${version}, published ${published}`,
  versions: "All versions",
  outdated: (version: string) => `This is an earlier version. The newest is version ${version}:`,
  newest: "newest agreement", // fixed
  notFound: "No agreement found",
  notFoundText: "There was no data processing agreement in force on this date.",
  toNewest: "Newest agreement",
} as const;
