// Documents in Markdown, as the build reads them (console/documents.config.ts).
declare module "*.md" {
  const blocks: readonly import("./markdown.ts").Block[];
  export { blocks as default };
}
