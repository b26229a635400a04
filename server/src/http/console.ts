// Serves the built console and its runtime configuration; unknown addresses are the console's to explain.
import { createHash } from "node:crypto";
import { join } from "node:path";
import { errorCode } from "@psp/contract/errors.ts";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { canViewType } from "@psp/contract/permission/can.ts";
import type { OwnableType } from "@psp/contract/permission/permissions.ts";
import { AppError } from "../kit/app-error.ts";
import type { Context } from "../context.ts";
import { boxKeys } from "../kit/sealed-box.ts";
import { type ConsoleFile, readConsoleFiles, sendFile } from "./console-files.ts";
import { type Identify, sessionCookieName } from "./session.ts";

const dist = join(import.meta.dirname, "../../../console/dist");

/** With it the account joins the live channel as of the moment when the request came in; null where this process has none. */
export type CursorFor = (request: FastifyRequest, accountId: string) => string | null;

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
  cursorFor: CursorFor,
): Promise<void> {
  const configFor = async (request: FastifyRequest) => {
    // On another origin the session has a cookie of its own, which does not come here.
    const isElsewhere = URL.canParse(ctx.config.roots.api ?? "");
    const session = isElsewhere ? {} : await knownSession(ctx, identify, request, cursorFor);
    const config = { ...runtimeConfig(ctx), ...session };
    return JSON.stringify(config).replaceAll("<", String.raw`\u003c`);
  };
  // Both are about the caller.
  const toNoCache = { "cache-control": "no-store" };
  app.get("/config.js", async (request, reply) => {
    const config = await configFor(request);
    return reply.headers(toNoCache).type("text/javascript; charset=utf-8").send(`window.__CONFIG__=${config};`);
  });
  const { files } = page;
  const start = files.get(pageFile);
  if (start === undefined) return;
  const pageWith = pageAround(start.forms.get("identity")?.bytes.toString() ?? "");
  app.get("/*", async (request, reply) => {
    const path = request.url.split("?")[0] ?? "/";
    const file = files.get(path);
    if (file === undefined && notPages.test(path)) throw new AppError(errorCode.notFound);
    if (file !== undefined && file !== start) return sendFile(request, reply, file);
    return reply
      .headers(toNoCache)
      .type(start.type)
      .send(pageWith(await configFor(request)));
  });
}

/**
 * The page with its configuration in the place of the script that would fetch it, a turn that everything else waits for
 * (ADR 0027). It is data, with which the policy for scripts has nothing to do.
 */
function pageAround(html: string): (config: string) => string {
  const [before, after] = html.split(/<script src="\/config\.js"[^>]*><\/script>/);
  if (before === undefined || after === undefined) throw new Error("The page has no place for its configuration");
  return (config) => `${before}<script id="config" type="application/json">${config}</script>${after}`;
}

/** Whether the browser's cookie opens a session, so that the console need not ask in vain; nothing while that can't be found out. */
async function knownSession(
  ctx: Context,
  identify: Identify,
  request: FastifyRequest,
  cursorFor: CursorFor,
): Promise<{ session?: boolean; views?: readonly OwnableType[]; since: string | null }> {
  const cookie = request.cookies[sessionCookieName(ctx.config)];
  if (!cookie) return { session: false, since: null };
  return identify(cookie).then(
    (actor) => ({
      session: actor !== null,
      // What a page need not ask for in vain.
      views: actor === null ? [] : (["sensor", "measurement"] as const).filter((type) => canViewType(actor, type)),
      // What changes from the request on comes by the live channel (ADR 0013).
      since: actor === null ? null : cursorFor(request, actor.id),
    }),
    () => ({ since: null }),
  );
}

/** What the console must know before it talks to anybody (SH-09). No secrets. */
function runtimeConfig(ctx: Context) {
  const {
    links,
    operator,
    pageSize,
    connectionTimeoutHours,
    claimingDomains,
    deviceLinkRoot,
    autoLogin,
    allowedOrigins,
  } = ctx.config;
  const { publicUrl, firmware, demo, map, roots } = ctx.config;
  return {
    // What is not configured here may have been when the console was built.
    ...(roots.api === null ? {} : { apiRoot: roots.api }),
    ...(roots.data === null ? {} : { dataRoot: roots.data }),
    links,
    map,
    operator,
    pageSize,
    connectionTimeoutHours,
    claimingDomains,
    deviceLinkRoot,
    autoLogin,
    allowedOrigins,
    publicUrl,
    displayPublicKey: Buffer.from(boxKeys(ctx.config.secrets.display).publicKey).toString("base64"),
    firmwareMaxBytes: firmware.maxBytes,
    demo: demo.on && demo.history,
  };
}
