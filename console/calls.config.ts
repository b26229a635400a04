// Removes the schemas from the API calls of a build, because only the server and development use them (ADR 0027).
import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import type { AnyEndpoint } from "@psp/contract/kit/endpoint.ts";
import type { Plugin } from "vite";

const isCall = (value: unknown): value is AnyEndpoint =>
  typeof value === "object" && value !== null && "method" in value && "path" in value;

/** Vite plugin: evaluates the contract's call modules and keeps only the fields that `console/src/api` reads. */
export function stripCallSchemas(): Plugin {
  return {
    name: "calls",
    apply: "build",
    load: {
      filter: { id: /[\\/]contract[\\/]src[\\/].*\.api\.ts$/ },
      async handler(id) {
        const exported = Object.entries((await import(pathToFileURL(id).href)) as Record<string, unknown>);
        const lines = exported.map(([as, value]) => {
          if (!isCall(value)) return `export { ${as} } from "./${basename(id)}?rest";`;
          const { name, method, path, root, caller } = value;
          return `export const ${as} = ${JSON.stringify({ name, method, path, root, caller })};`;
        });
        return { code: lines.join("\n"), moduleSideEffects: false };
      },
    },
  };
}
