// Reads the legal documents while the console is built: what travels to the browser are their blocks.
import type { Plugin } from "vite";
import { parseMarkdown } from "./src/legal/markdown.ts";

/** Vite plugin: importing a Markdown file gives its blocks. */
export function documents(): Plugin {
  return {
    name: "documents",
    transform: (code, id) =>
      id.endsWith(".md") ? `export default ${JSON.stringify(parseMarkdown(code))};` : undefined,
  };
}
