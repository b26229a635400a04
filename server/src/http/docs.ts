// OpenAPI 3.1 printed from the call table, and a page that reads it to people.
import { calls } from "@psp/contract/api.ts";
import { errorEntry, sensorErrors, serverErrors, type ServerErrorCode } from "@psp/contract/errors.ts";
import type { AnyEndpoint, Upload } from "@psp/contract/kit/endpoint.ts";
import { failureDetails } from "@psp/contract/kit/refusal.ts";
import type { FastifyInstance } from "fastify";
import { z } from "zod";

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

/** The fields of a multipart form with its file. */
function formOf({ file, fields }: Upload): JsonSchema {
  const schema = schemaOf(fields, "input");
  const bytes = { type: "string", contentMediaType: "application/octet-stream" };
  return {
    ...schema,
    properties: { [file]: bytes, ...schema.properties },
    required: [file, ...(schema.required ?? [])],
  };
}

/** The whole document; made once. */
export function openApi() {
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
        cookie: { type: "apiKey", in: "cookie", name: "psp_session" },
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
            code: { type: "integer", enum: [...Object.keys(serverErrors), ...Object.keys(sensorErrors)].map(Number) },
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

const escape = (text: string) => text.replaceAll(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);

function page(): string {
  const rows = calls.map((call) => {
    const form = call.body
      ? JSON.stringify(schemaOf(call.body, "input"), null, 2)
      : call.upload
        ? `multipart/form-data ${JSON.stringify(formOf(call.upload), null, 2)}`
        : "";
    const query = parameters(call)
      .map((one) => `${one.name}${one.required ? " *" : ""}`)
      .join(", ");
    return `<details id="${call.name}"><summary><b>${call.method}</b> <code>${escape((call.root ?? "/api") + call.path)}</code> ${escape(call.summary)}</summary>
<p>Caller: ${call.caller}${query ? `. Parameters: <code>${escape(query)}</code>` : ""}</p>${form ? `<pre>${escape(form)}</pre>` : ""}
<pre>${escape(JSON.stringify(schemaOf(call.reply, "output"), null, 2))}</pre></details>`;
  });
  const codes = [...Object.keys(serverErrors), ...Object.keys(sensorErrors)].map((code) => {
    const entry = errorEntry(Number(code) as ServerErrorCode);
    return `<tr><td>${code}</td><td>${entry.status}</td><td>${escape(entry.message)}</td></tr>`;
  });
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>PS.Platform API</title>
<style>:root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}summary{cursor:pointer;padding:.35rem 0}pre{overflow:auto;padding:.75rem;border:1px solid #8884;border-radius:6px}td{padding:.15rem .75rem .15rem 0}</style></head>
<body><main><h1>PS.Platform API</h1><p>Machine-readable: <a href="/api/openapi.json">openapi.json</a>. Send <code>Authorization: Bearer …</code> from <code>POST /api/auth/login</code>.</p>
${rows.join("\n")}<h2>Error codes</h2><table>${codes.join("")}</table></main></body></html>`;
}

export function docsRoutes(app: FastifyInstance): void {
  let document: string | null = null;
  let html: string | null = null;
  app.get("/api/openapi.json", async (_request, reply) =>
    reply.type("application/json; charset=utf-8").send((document ??= JSON.stringify(openApi()))),
  );
  app.get("/api/docs", async (_request, reply) => reply.type("text/html; charset=utf-8").send((html ??= page())));
}
