// What the first page of somebody who is logged in needs, fetched beside the start of the console instead of after it (ADR 0060).
import type { Plugin, Rollup } from "vite";

/** What surrounds every page behind the login. */
const frame = ["src/app/Header.tsx", "src/app/keyboard/Keyboard.tsx", "src/sensor/batch/BegunBatches.tsx"];
/** The pages that people begin with, by the path they have. */
const pages: Record<string, readonly string[]> = {
  "^/dashboard/?$": ["src/app/home.tsx", "src/dashboard/DashboardPage.tsx"],
  "^/sensor/?$": ["src/sensor/list/SensorsPage.tsx"],
  "^/location/?$": ["src/location/LocationsPage.tsx"],
  "^/location/[^/]+/counts$": ["src/location/LocationPage.tsx"],
};

/** The faces of the first words, and of the ids in lists: what is drawn with another one would move when they come. */
const faces = { words: /inter-latin-wght-normal.*\.woff2$/, ids: /jetbrains-mono-latin-wght-normal.*\.woff2$/ };
/** Pages whose first rows have ids; elsewhere a face that is not used at once is reported by browsers. */
const withIds = "^/sensor/?$";

/** Vite plugin: writes into the page which pieces of the build come first. */
export function ahead(): Plugin {
  return {
    name: "ahead",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler(html, { bundle }) {
        if (bundle === undefined) return html;
        const chunks = Object.values(bundle).filter((one) => one.type === "chunk");
        const first = chunks.find(({ isEntry }) => isEntry)?.fileName;
        const filesOf = (modules: readonly string[]) => {
          const found = new Set<string>();
          const add = (file: string) => {
            if (file === first || found.has(file)) return;
            found.add(file);
            for (const next of chunks.find(({ fileName }) => fileName === file)?.imports ?? []) add(next);
          };
          for (const module of modules) add(chunkOf(chunks, module).fileName);
          return [...found];
        };
        const around = filesOf(frame);
        const lists = Object.entries(pages).map(([path, modules]) => [
          path,
          filesOf(modules).filter((file) => !around.includes(file)),
        ]);
        // The configuration knows whether there is a session; without one nothing of it is needed.
        const face = (form: RegExp) => Object.keys(bundle).filter((file) => form.test(file));
        const script = `{
  const add = (link) => document.head.append(Object.assign(document.createElement("link"), link));
  if ((window.__CONFIG__ || {}).session) {
    add({ rel: "preload", as: "fetch", crossOrigin: "", href: "/api/auth/user" });
    const page = ${JSON.stringify(lists)}.find(([path]) => new RegExp(path).test(location.pathname));
    for (const file of ${JSON.stringify(around)}.concat(page ? page[1] : []))
      add({ rel: "modulepreload", href: "/" + file });
    const ids = new RegExp(${JSON.stringify(withIds)}).test(location.pathname) ? ${JSON.stringify(face(faces.ids))} : [];
    for (const file of ${JSON.stringify(face(faces.words))}.concat(ids))
      add({ rel: "preload", as: "font", type: "font/woff2", crossOrigin: "", fetchPriority: "low", href: "/" + file });
    document.documentElement.dataset.frame = "";
  }
  // The bar is on the screen before the console, which keeps the processor busy, begins.
  let isBegun = false;
  const begin = () => isBegun || ((isBegun = true), import("/${first}"));
  requestAnimationFrame(() => setTimeout(begin));
  // In a tab that is not shown nothing is painted.
  setTimeout(begin, 1000);
}`;
        const start = new RegExp(String.raw`<script type="module" crossorigin src="/${first}"></script>`);
        if (first === undefined || !start.test(html))
          throw new Error("ahead.config.ts: the start of the console is not in the page");
        // At once, before the configuration; by a script, so that nothing takes it for what the first picture waits for.
        const fetchFirst = `document.head.append(Object.assign(document.createElement("link"), { rel: "modulepreload", href: "/${first}" }))`;
        return html
          .replace(start, "")
          .replace("<!-- first -->", () => `<script>${fetchFirst}</script>`)
          .replace("<!-- ahead -->", () => `<script>${script}</script>`);
      },
    },
  };
}

/** The piece that holds a module; a module that was moved must be moved here, too. */
function chunkOf(chunks: readonly Rollup.OutputChunk[], module: string): Rollup.OutputChunk {
  const chunk = chunks.find(({ moduleIds }) => moduleIds.some((id) => id.endsWith(`/console/${module}`)));
  if (chunk === undefined) throw new Error(`ahead.config.ts: no piece of the build holds ${module}`);
  return chunk;
}
