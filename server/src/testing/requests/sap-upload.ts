// Sends SAP exports like a browser or a script, and reads the progress.
import type { JsonObject, Person, Reply, World } from "../world.ts";

type Options = {
  role?: string | undefined;
  name?: string;
  type?: string;
  headers?: Record<string, string>;
  more?: [string, string][];
};

function formOf(content: string | Uint8Array<ArrayBuffer>, { role, name = "export.csv", type, more = [] }: Options) {
  const form = new FormData();
  form.append("file", new Blob([content], type === undefined ? {} : { type }), name);
  if (role !== undefined) form.append("role", role);
  for (const [field, value] of more) form.append(field, value);
  return form;
}

/** `POST /api/import/sap`; the response as JSON. */
export async function importSap(
  world: World,
  who: Person | null,
  content: string | Uint8Array<ArrayBuffer>,
  options: Options = {},
): Promise<Pick<Reply, "status"> & { body: JsonObject; code: unknown; headers: Headers }> {
  const reply = await send(world.url, who, content, options);
  const body = (await reply.json()) as JsonObject;
  return { status: reply.status, headers: reply.headers, body, code: body["code"] };
}

/** Like `importSap`, but requests progress and returns every line of the response. */
export async function importSapStreamed(
  world: World,
  who: Person,
  content: string | Uint8Array<ArrayBuffer>,
  options: Options = {},
): Promise<{ status: number; type: string | null; lines: JsonObject[] }> {
  const headers = { ...options.headers, accept: "application/x-ndjson" };
  const reply = await send(world.url, who, content, { ...options, headers });
  const text = await reply.text();
  const lines = text.trim().split("\n");
  return {
    status: reply.status,
    type: reply.headers.get("content-type"),
    lines: lines.map((line) => JSON.parse(line) as JsonObject),
  };
}

function send(url: string, who: Person | null, content: string | Uint8Array<ArrayBuffer>, options: Options) {
  return fetch(`${url}/api/import/sap`, {
    method: "POST",
    headers: { ...(who ? { authorization: `Bearer ${who.token}` } : {}), ...options.headers },
    body: formOf(content, options),
  });
}
