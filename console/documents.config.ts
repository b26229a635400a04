// Parses the legal documents at build time, so that browsers load only their blocks.
import type { Plugin } from "vite";
import { parseMarkdown } from "./src/legal/markdown.ts";

export function documents(): Plugin {
  return {
    name: "documents",
    transform: (code, id) =>
      id.endsWith(".md") ? `export default ${JSON.stringify(parseMarkdown(code))};` : undefined,
  };
}
