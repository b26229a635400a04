// Inline script that loads the files of the first page in parallel and starts the console (ADR 0027).

/** Paths of the build's files. */
export type StartPlan = {
  styles: readonly string[];
  /** Chunks that start the console. Imported chunks come before their importers. */
  chunks: readonly string[];
  /** Chunks of every page behind the login. */
  frame: readonly string[];
  /** Chunks and fonts of frequent first pages, by pattern of their path. */
  pages: readonly (readonly [path: string, chunks: readonly string[], fonts: readonly string[]])[];
  fonts: readonly string[];
};

/** The build writes this function into the page (console/preload.config.ts), so it must not use outer variables. */
export function start(plan: StartPlan): void {
  // Links added by a script don't block the first paint.
  const add = (link: object) => document.head.append(Object.assign(document.createElement("link"), link));
  const fetchChunks = (files: readonly string[]) => {
    for (const file of files) add({ rel: "modulepreload", href: `/${file}` });
  };
  const queue = [...plan.chunks];
  // Evaluates each chunk in its own task, to avoid long tasks.
  const next = () => {
    const file = queue.shift();
    if (file !== undefined) void import(/* @vite-ignore */ `/${file}`).then(() => setTimeout(next));
  };
  let waits = 1 + plan.styles.length;
  const ready = () => {
    waits -= 1;
    if (waits === 0) next();
  };

  fetchChunks(plan.chunks);
  // The server writes the configuration into the page. On other hosts, the page has already loaded it from /config.js.
  const page = globalThis as { __CONFIG__?: { session?: boolean | null } };
  const given = document.getElementById("config");
  if (given !== null) page.__CONFIG__ = JSON.parse(given.textContent) as { session?: boolean | null };
  for (const file of plan.styles)
    add({ rel: "stylesheet", crossOrigin: "", href: `/${file}`, onload: ready, onerror: ready });
  if (page.__CONFIG__?.session === true) {
    document.documentElement.dataset["frame"] = "";
    const [, chunks = [], fonts = []] = plan.pages.find(([path]) => new RegExp(path).test(location.pathname)) ?? [];
    fetchChunks([...plan.frame, ...chunks]);
    for (const file of [...plan.fonts, ...fonts])
      add({ rel: "preload", as: "font", type: "font/woff2", crossOrigin: "", fetchPriority: "low", href: `/${file}` });
  }
  // Waits for the first paint, because starting the console blocks the main thread. Hidden tabs never paint.
  let isPainted = false;
  const painted = () => {
    if (!isPainted) ready();
    isPainted = true;
  };
  requestAnimationFrame(() => setTimeout(painted));
  setTimeout(painted, 1000);
}
