// OpenAPI 3.1 generated from the contract, and a page that shows it.
import { calls } from "@psp/contract/api.ts";
import { errorEntries } from "@psp/contract/errors.ts";
import type { AnyEndpoint, Upload } from "@psp/contract/kit/endpoint.ts";
import { failureDetails } from "@psp/contract/kit/refusal.ts";
import fastify, { type FastifyInstance } from "fastify";
import { z } from "zod";
import type { Context } from "../context.ts";
import { sessionCookieName } from "./session.ts";
import { compressOnce, sendFile, type StaticFile } from "./static-files.ts";

type JsonSchema = Record<string, unknown> & { properties?: Record<string, JsonSchema>; required?: string[] };

const schemaOf = (schema: z.ZodType, io: "input" | "output"): JsonSchema => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" }) as JsonSchema;
  return rest;
};

function parameters(call: AnyEndpoint) {
  const of = (schema: z.ZodType | undefined, place: "path" | "query") => {
    if (!schema) return [];
    const object = schemaOf(schema, "input");
    return Object.entries(object.properties ?? {}).map(([name, property]) => ({
      name,
      in: place,
      required: place === "path" || (object.required ?? []).includes(name),
      schema: property,
    }));
  };
  return [...of(call.params, "path"), ...of(call.query, "query")];
}

function formOf({ file, fields }: Upload): JsonSchema {
  const schema = schemaOf(fields, "input");
  const bytes = { type: "string", contentMediaType: "application/octet-stream" };
  return {
    ...schema,
    properties: { [file]: bytes, ...schema.properties },
    required: [file, ...(schema.required ?? [])],
  };
}

function openApi(cookieName: string) {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const call of calls) {
    const path = (call.root ?? "/api") + call.path;
    (paths[path] ??= {})[call.method.toLowerCase()] = {
      operationId: call.name,
      summary: call.summary,
      tags: [call.path.split("/").find((part) => part && part !== "v2") ?? "api"],
      security: call.caller === "session" ? [{ bearer: [] }, { cookie: [] }] : [],
      parameters: parameters(call),
      ...(call.body
        ? { requestBody: { required: true, content: { "application/json": { schema: schemaOf(call.body, "input") } } } }
        : {}),
      ...(call.upload
        ? { requestBody: { required: true, content: { "multipart/form-data": { schema: formOf(call.upload) } } } }
        : {}),
      responses: {
        200: {
          description: "Success",
          content: call.binary
            ? { "application/octet-stream": {} }
            : { "application/json": { schema: schemaOf(call.reply, "output") } },
        },
        default: { $ref: "#/components/responses/Failure" },
      },
    };
  }
  return {
    openapi: "3.1.0",
    info: { title: "PS.Platform", version: "2", license: { name: "MIT", identifier: "MIT" } },
    paths,
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer" },
        cookie: { type: "apiKey", in: "cookie", name: cookieName },
      },
      responses: {
        Failure: {
          description: "A code of the error catalogue with its sentence",
          content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Failure" } } },
        },
      },
      schemas: {
        Failure: {
          type: "object",
          required: ["error", "code", "requestId", "type", "title", "status"],
          properties: {
            error: { type: "string" },
            code: { type: "integer", enum: errorEntries.map(({ code }) => code) },
            requestId: { type: "string" },
            details: schemaOf(failureDetails, "output"),
            type: { type: "string" },
            title: { type: "string" },
            status: { type: "integer" },
          },
        },
      },
    },
  };
}

function errorCodes(): string {
  const rows = errorEntries.map(({ code, status, message }) => `| ${code} | ${status} | ${message} |`);
  return [
    "Machine-readable: [openapi.json](/api/openapi.json). Send `Authorization: Bearer …` from `POST /api/auth/login`.",
    "## Error codes",
    ["| Code | Status | Sentence |", "| --- | --- | --- |", ...rows].join("\n"),
  ].join("\n\n");
}

const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>PS.Platform API</title></head>
<body><div id="app"></div><script src="/api/docs/scalar.js"></script><script src="/api/docs/start.js"></script></body></html>`;

/** Raises contrast to WCAG AA, and keeps error codes on one line. */
const customCss = `
  .light-mode { --scalar-color-2: #595959; --scalar-color-3: #636363; --scalar-color-green: #05684a; --scalar-color-blue: #00609c;
    --scalar-color-orange: #a83a00; --scalar-color-red: #b80005; }
  .dark-mode { --scalar-color-2: #b8b8b8; --scalar-color-3: #a3a3a3; --scalar-color-red: #ff5c5c; }
  .markdown :is(td, th):not(:last-child) { white-space: nowrap; }`;

/** Configures Scalar to load nothing from other servers. */
function startScript(cookieName: string): string {
  const document = openApi(cookieName);
  const content = { ...document, info: { ...document.info, description: errorCodes() } };
  const off = { disabled: true };
  return `Scalar.createApiReference("#app", ${JSON.stringify({
    content,
    customCss,
    withDefaultFonts: false,
    telemetry: false,
    documentDownloadType: "none",
    hideClientButton: true,
    showDeveloperTools: "never",
    agent: off,
    mcp: off,
  })})`;
}

/** Loaded on demand, because it takes 60 MB (ADR 0002). */
async function scalarScript(): Promise<string> {
  const { default: scalar } = await import("@scalar/fastify-api-reference");
  const app = fastify();
  await app.register(scalar, { routePrefix: "/", configuration: { url: "/api/openapi.json" } });
  return (await app.inject("/js/scalar.js")).body;
}

/** Each file is created and compressed on the first request, and then cached. */
export function docsRoutes(app: FastifyInstance, { config, metrics }: Context): void {
  const cookieName = sessionCookieName(config);
  const files = new Map<string, Promise<StaticFile>>();
  const serve = (path: string, type: string, text: () => string | Promise<string>) => {
    const create = async (): Promise<StaticFile> => ({
      path,
      type: `${type}; charset=utf-8`,
      variants: await compressOnce(await text(), metrics),
    });
    app.get(path, async (request, reply) => sendFile(request, reply, await files.getOrInsertComputed(path, create)));
  };
  serve("/api/openapi.json", "application/json", () => JSON.stringify(openApi(cookieName)));
  serve("/api/docs", "text/html", () => html);
  serve("/api/docs/start.js", "text/javascript", () => startScript(cookieName));
  serve("/api/docs/scalar.js", "text/javascript", scalarScript);
}
