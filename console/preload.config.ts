// Preloads what the first page after login needs, in parallel with the start of the console (ADR 0027).
import type { Plugin, Rollup } from "vite";

/** Frame of every page behind the login. */
const frame = ["src/app/Header.tsx", "src/app/keyboard/Keyboard.tsx", "src/sensor/batch/BegunBatches.tsx"];
/** Frequent first pages by path; src/address/preload.ts preloads their responses. */
const pages: Record<string, readonly string[]> = {
  "^/dashboard/?$": ["src/app/home.tsx", "src/dashboard/DashboardPage.tsx"],
  "^/sensor/?$": ["src/sensor/list/SensorsPage.tsx"],
  "^/location/?$": ["src/location/LocationsPage.tsx"],
  "^/location/[^/]+/counts$": ["src/location/LocationPage.tsx"],
};

/** Fonts of the first texts and of ids in lists. Swapping them in later would shift the layout. */
const fonts = { words: /inter-common-wght-normal.*\.woff2$/, ids: /jetbrains-mono-common-wght-normal.*\.woff2$/ };
/** Pages whose first rows contain ids; on others browsers warn about an unused preload. */
const withIds = "^/sensor/?$";

/** Vite plugin: writes the preloads of critical chunks into the page. */
export function preload(): Plugin {
  return {
    name: "preload",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler(html, { bundle }) {
        if (bundle === undefined) return html;
        const chunks = Object.values(bundle).filter((one) => one.type === "chunk");
        const entry = chunks.find(({ isEntry }) => isEntry);
        if (entry === undefined) throw new Error("preload.config.ts: the build has no start");
        const start = inOrder(chunks, entry);
        const atStart = chunks.filter(({ fileName }) => start.includes(fileName));
        const styles = atStart.flatMap(({ viteMetadata }) => [...(viteMetadata?.importedCss ?? [])]);
        const filesOf = (modules: readonly string[]) => {
          const all = modules.flatMap((module) => inOrder(chunks, chunkOf(chunks, module)));
          return [...new Set(all)].filter((file) => !start.includes(file));
        };
        const around = filesOf(frame);
        const first = Object.entries(pages).map(([path, modules]) => [
          path,
          filesOf(modules).filter((file) => !around.includes(file)),
        ]);
        const fileOf = (form: RegExp) => Object.keys(bundle).filter((file) => form.test(file));
        // The server writes the configuration into the page; other hosts leave the script that fetches it. Without a session
        // nothing is preloaded.
        const script = `{
  const given = document.getElementById("config");
  if (given) window.__CONFIG__ = JSON.parse(given.textContent);
  const config = window.__CONFIG__ || {};
  const add = (link) => document.head.append(Object.assign(document.createElement("link"), link));
  const styles = ${JSON.stringify(styles)};
  // The bar needs no stylesheet; what the console draws does.
  for (const file of styles)
    add({ rel: "stylesheet", crossOrigin: "", href: "/" + file, onload: () => ready(), onerror: () => ready() });
  if (config.session) {
    document.documentElement.dataset.frame = "";
    const page = ${JSON.stringify(first)}.find(([path]) => new RegExp(path).test(location.pathname));
    for (const file of ${JSON.stringify(around)}.concat(page ? page[1] : []))
      add({ rel: "modulepreload", href: "/" + file });
    const ids = new RegExp(${JSON.stringify(withIds)}).test(location.pathname) ? ${JSON.stringify(fileOf(fonts.ids))} : [];
    for (const file of ${JSON.stringify(fileOf(fonts.words))}.concat(ids))
      add({ rel: "preload", as: "font", type: "font/woff2", crossOrigin: "", fetchPriority: "low", href: "/" + file });
  }
  // The bar is on the screen before the console, which keeps the processor busy, begins; chunk by chunk, a task each.
  const queue = ${JSON.stringify(start)};
  const next = () => queue.length > 0 && import("/" + queue.shift()).then(() => setTimeout(next));
  let waits = 1 + styles.length;
  const ready = () => --waits === 0 && next();
  let isShown = false;
  const shown = () => isShown || ((isShown = true), ready());
  requestAnimationFrame(() => setTimeout(shown));
  // In a tab that is not shown nothing is painted.
  setTimeout(shown, 1000);
}`;
        const tags = new RegExp(
          String.raw`<script type="module" crossorigin src="/${entry.fileName}"></script>|<link rel="(modulepreload|stylesheet)" [^>]*>`,
          "g",
        );
        if (html.search(tags) < 0) throw new Error("preload.config.ts: the start of the console is not in the page");
        // Runs before the configuration is known. A script adds the links, so that they don't count as blocking the first paint.
        const fetchFirst = `for (const file of ${JSON.stringify(start)})
  document.head.append(Object.assign(document.createElement("link"), { rel: "modulepreload", href: "/" + file }));`;
        return html
          .replace(tags, "")
          .replace("<!-- first -->", () => `<script>${fetchFirst}</script>`)
          .replace("<!-- preload -->", () => `<script>${script}</script>`);
      },
    },
  };
}

/** The chunk that contains a module. Throws if it was moved, so that the lists above stay correct. */
function chunkOf(chunks: readonly Rollup.OutputChunk[], module: string): Rollup.OutputChunk {
  const chunk = chunks.find(({ moduleIds }) => moduleIds.some((id) => id.endsWith(`/console/${module}`)));
  if (chunk === undefined) throw new Error(`preload.config.ts: no chunk of the build holds ${module}`);
  return chunk;
}

/** A chunk after all its imports, each file once. */
function inOrder(chunks: readonly Rollup.OutputChunk[], of: Rollup.OutputChunk): string[] {
  const seen = new Set<string>();
  const inTurn: string[] = [];
  const add = ({ fileName, imports }: Rollup.OutputChunk) => {
    if (seen.has(fileName)) return;
    seen.add(fileName);
    for (const next of imports) for (const chunk of chunks) if (chunk.fileName === next) add(chunk);
    inTurn.push(fileName);
  };
  add(of);
  return inTurn;
}
