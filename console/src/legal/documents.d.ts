// Documents in Markdown, as the build reads them (console/documents.config.ts).
declare module "*.md" {
  const blocks: LegalBlocks;
  export { blocks as default };
}
