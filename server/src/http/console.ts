// Serves the built console and its runtime configuration; unknown addresses are the console's to explain.
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { AppError } from "../kit/app-error.ts";
import type { Context } from "../context.ts";
import { type ConsoleFile, readConsoleFiles, sendFile } from "./console-files.ts";
import { cookieName, type Identify } from "./session.ts";

const dist = join(import.meta.dirname, "../../../console/dist");

export type ConsolePage = { files: ReadonlyMap<string, ConsoleFile>; scriptHashes: string[] };
const pageFile = "/index.html";

/** Reads the built console; the inline scripts of its page, which run before the first paint, are allowed by their hashes. */
export async function readConsole(): Promise<ConsolePage> {
  const files = await readConsoleFiles(dist);
  const html = files.get(pageFile)?.forms.get("identity")?.bytes.toString() ?? "";
  const inline = [...html.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g)];
  const scriptHashes = inline.map(
    (match) =>
      `'sha256-${createHash("sha256")
        .update(match[1] ?? "")
        .digest("base64")}'`,
  );
  return { files, scriptHashes };
}

/** Paths that are not pages: an unknown one below them is an API answer, never the console. */
const notPages = /^\/(api|data|device|live|dev|health|metrics|assets|config\.js|mqtt)(\/|$)/;

export async function consoleRoutes(
  app: FastifyInstance,
  ctx: Context,
  identify: Identify,
  page: ConsolePage,
): Promise<void> {
  app.get("/config.js", async (request, reply) => {
    const config = { ...runtimeConfig(ctx), ...(await knownSession(identify, request)) };
    return (
      reply
        // It is about the caller.
        .header("cache-control", "no-store")
        .type("text/javascript; charset=utf-8")
        .send(`window.__CONFIG__=${JSON.stringify(config).replaceAll("<", String.raw`\u003c`)};`)
    );
  });
  const { files } = page;
  const start = files.get(pageFile);
  if (start === undefined) return;
  app.get("/*", async (request, reply) => {
    const path = request.url.split("?")[0] ?? "/";
    const file = files.get(path);
    if (file === undefined && notPages.test(path)) throw new AppError(105);
    return sendFile(request, reply, file ?? start);
  });
}

/** Whether the browser's cookie opens a session, so that the console need not ask in vain; nothing while that can't be found out. */
async function knownSession(identify: Identify, request: FastifyRequest): Promise<{ session?: boolean }> {
  const cookie = request.cookies[cookieName];
  if (!cookie) return { session: false };
  return identify(cookie).then(
    (actor) => ({ session: actor !== null }),
    () => ({}),
  );
}

/** What the console must know before it talks to anybody (SH-09). No secrets. */
export function runtimeConfig(ctx: Context) {
  const { links, operator, pageSize, connectionTimeoutHours, claimingDomains, deviceLinkRoot, allowedOrigins } =
    ctx.config;
  const { publicUrl, firmware, demo, map } = ctx.config;
  return {
    links,
    map,
    operator,
    pageSize,
    connectionTimeoutHours,
    claimingDomains,
    deviceLinkRoot,
    allowedOrigins,
    publicUrl,
    firmwareMaxBytes: firmware.maxBytes,
    demo: demo.on && demo.history,
  };
}
