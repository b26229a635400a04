// Types of imported Markdown documents (console/documents.config.ts).
declare module "*.md" {
  const blocks: LegalBlocks;
  export { blocks as default };
}
