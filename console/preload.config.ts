// Adds the inline script that preloads chunks and fonts of the first page after login (ADR 0027).
import type { Plugin, Rollup } from "vite";
import { start, type StartPlan } from "./src/address/start.ts";

/** Modules of the frame around every page behind the login. */
const frame = ["src/app/Header.tsx", "src/app/keyboard/Keyboard.tsx", "src/sensor/batch/RunningBatches.tsx"];
/** Font files for text, and for ids in lists. If they loaded late, the layout would shift. */
const [words, ids] = [/inter-common-wght-normal.*\.woff2$/, /jetbrains-mono-common-wght-normal.*\.woff2$/];
/**
 * Frequent first pages by path. src/address/preload.ts preloads their responses.
 * Pages name only fonts that they use, because browsers warn about unused preloads.
 */
const pages: [path: string, modules: string[], font?: RegExp][] = [
  ["^/dashboard/?$", ["src/app/home.tsx", "src/dashboard/DashboardPage.tsx"]],
  ["^/sensor/?$", ["src/sensor/list/SensorsPage.tsx"], ids],
  ["^/location/?$", ["src/location/LocationsPage.tsx"]],
  ["^/location/[^/]+/counts$", ["src/location/LocationPage.tsx"]],
];

/** Vite plugin: replaces Vite's tags for the stylesheet and chunks with the inline script. */
export function preload(): Plugin {
  return {
    name: "preload",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler(html, { bundle = {} }) {
        const tagged = (tag: string) =>
          [...html.matchAll(new RegExp(`<${tag} [^>]*(?:href|src)="/([^"]+)">`, "g"))].map(([, file = ""]) => file);
        // Vite lists imported chunks before their importers.
        const chunks = [...tagged('link rel="modulepreload"'), ...tagged('script type="module"')];
        const filesLike = (form: RegExp) => Object.keys(bundle).filter((file) => form.test(file));
        const chunksOf = (modules: string[]) =>
          withImports(
            bundle,
            modules.map((module) => chunkOf(bundle, module)),
          ).filter((file) => !chunks.includes(file));
        const plan: StartPlan = {
          styles: tagged('link rel="stylesheet"'),
          chunks,
          frame: chunksOf(frame),
          pages: pages.map(([path, modules, font]) => [path, chunksOf(modules), font ? filesLike(font) : []]),
          fonts: filesLike(words),
        };
        if (chunks.length < 2) throw new Error("preload.config.ts: the start of the console is not in the page");
        const script = `(${String(start)})(${JSON.stringify(plan)});`;
        return html
          .replace(/<link rel="(modulepreload|stylesheet)" [^>]*>|<script type="module" [^>]*><\/script>/g, "")
          .replace("<!-- preload -->", () => `<script>${script}</script>`);
      },
    },
  };
}

/** Returns the file name of the chunk that contains a module. Throws if there is none, so that the lists above stay correct. */
function chunkOf(bundle: Rollup.OutputBundle, module: string): string {
  const isIn = (file: Rollup.OutputBundle[string]) =>
    file.type === "chunk" && file.moduleIds.some((id) => id.endsWith(`/console/${module}`));
  const chunk = Object.values(bundle).find(isIn);
  if (chunk === undefined) throw new Error(`preload.config.ts: no chunk of the build holds ${module}`);
  return chunk.fileName;
}

function withImports(bundle: Rollup.OutputBundle, files: readonly string[]): string[] {
  const all = new Set(files);
  // Iterating over a Set includes entries added during the loop.
  for (const file of all) {
    const chunk = bundle[file];
    if (chunk?.type === "chunk") for (const next of chunk.imports) all.add(next);
  }
  return [...all];
}
