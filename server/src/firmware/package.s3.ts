// Packages in an S3-compatible store, spoken to with plain fetch and Signature Version 4; parts are sent one at a time.
import { createHash, createHmac } from "node:crypto";
import { Readable } from "node:stream";
import type { S3Config } from "../config.ts";
import { inPieces } from "./pieces.ts";
import type { PackagePlace } from "./package.storage.ts";

/** The least that S3 takes as a part, and what one upload holds in memory. */
const partBytes = 8 * 1024 * 1024;
const timeoutMs = 60_000;
const tries = 3;

const sha256 = (data: string | Buffer) => createHash("sha256").update(data).digest("hex");
const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();
/** Percent-encoding as AWS wants it: all but the unreserved characters of RFC 3986. */
const encode = (text: string) =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

export type S3Request = {
  method: string;
  key: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: Buffer;
};

/** The address and the signed headers of one request (AWS Signature Version 4). */
export function signS3(
  config: S3Config,
  request: S3Request,
  at: Date,
): { url: string; headers: Record<string, string> } {
  const { host, pathname } = new URL(config.endpoint);
  const stamp = at.toISOString().replaceAll(/[-:]|\.\d{3}/g, "");
  const root = pathname.replace(/\/+$/, "");
  const path = `${root}/${[config.bucket, ...request.key.split("/")]
    .filter((part) => part !== "")
    .map(encode)
    .join("/")}`;
  const query = Object.entries(request.query ?? {})
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .toSorted()
    .join("&");
  const headers: Record<string, string> = {
    ...request.headers,
    host,
    "x-amz-content-sha256": sha256(request.body ?? ""),
    "x-amz-date": stamp,
  };
  const names = Object.keys(headers).toSorted();
  const canonical = [
    request.method,
    path,
    query,
    ...names.map((name) => `${name}:${headers[name]?.trim()}`),
    "",
    names.join(";"),
    headers["x-amz-content-sha256"],
  ].join("\n");
  const day = stamp.slice(0, 8);
  const scope = `${day}/${config.region}/s3/aws4_request`;
  const key = hmac(hmac(hmac(hmac(`AWS4${config.secretAccessKey}`, day), config.region), "s3"), "aws4_request");
  const signature = hmac(key, ["AWS4-HMAC-SHA256", stamp, scope, sha256(canonical)].join("\n")).toString("hex");
  const { host: _host, ...sent } = headers;
  return {
    url: `${new URL(config.endpoint).origin}${path}${query === "" ? "" : `?${query}`}`,
    headers: {
      ...sent,
      authorization: `AWS4-HMAC-SHA256 Credential=${config.accessKeyId}/${scope}, SignedHeaders=${names.join(";")}, Signature=${signature}`,
    },
  };
}

class S3Error extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.name = "S3Error";
    this.status = status;
  }
}

/** One request; what a store answers with 5xx or not at all is tried again. */
async function send(config: S3Config, request: S3Request): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await sendOnce(config, request);
    } catch (error) {
      const isFinal = error instanceof S3Error && error.status < 500;
      if (isFinal || attempt === tries) throw error;
    }
  }
}

async function sendOnce(config: S3Config, request: S3Request): Promise<Response> {
  const { url, headers } = signS3(config, request, new Date());
  const started = new AbortController();
  const timer = setTimeout(() => started.abort(), timeoutMs);
  try {
    const response = await fetch(url, {
      method: request.method,
      headers,
      ...(request.body === undefined ? {} : { body: new Uint8Array(request.body) }),
      signal: started.signal,
    });
    if (response.ok) return response;
    const text = (await response.text()).slice(0, 300);
    throw new S3Error(response.status, `S3 answers ${response.status} to ${request.method} ${request.key}: ${text}`);
  } finally {
    clearTimeout(timer);
  }
}

const inTag = (name: string, xml: string) =>
  [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, "g"))].map(([, text = ""]) => text);
const keyOf = (id: string) => `firmware/${id}`;

export function createS3Place(config: S3Config): PackagePlace {
  return {
    pieceBytes: partBytes,
    async write(id, source, onProgress) {
      const key = keyOf(id);
      const begun = await (await send(config, { method: "POST", key, query: { uploads: "" } })).text();
      const uploadId = inTag("UploadId", begun)[0];
      if (uploadId === undefined) throw new Error("S3 named no upload");
      const tags: string[] = [];
      for await (const body of inPieces(source, partBytes)) {
        const query = { partNumber: String(tags.length + 1), uploadId };
        const reply = await send(config, { method: "PUT", key, query, body });
        await reply.body?.cancel();
        tags.push(reply.headers.get("etag") ?? "");
        await onProgress();
      }
      const parts = tags.map((tag, n) => `<Part><PartNumber>${n + 1}</PartNumber><ETag>${tag}</ETag></Part>`);
      const body = Buffer.from(`<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`);
      const done = await (await send(config, { method: "POST", key, query: { uploadId }, body })).text();
      // S3 may fail after it said 200.
      if (!done.includes("CompleteMultipartUploadResult")) throw new Error("S3 did not complete the upload");
    },
    async *read(id, { from, to }) {
      const reply = await send(config, {
        method: "GET",
        key: keyOf(id),
        headers: { range: `bytes=${from}-${to}` },
      });
      let bytes = 0;
      if (reply.body) {
        for await (const piece of Readable.fromWeb(reply.body as never)) {
          bytes += (piece as Buffer).length;
          yield piece as Buffer;
        }
      }
      if (bytes !== to - from + 1) throw new Error(`S3 sent ${bytes} bytes of package ${id}, not ${to - from + 1}`);
    },
    async remove(id) {
      const key = keyOf(id);
      const open = await (await send(config, { method: "GET", key: "", query: { uploads: "", prefix: key } })).text();
      for (const uploadId of inTag("UploadId", open)) {
        const ended = await send(config, { method: "DELETE", key, query: { uploadId } });
        await ended.body?.cancel();
      }
      const gone = await send(config, { method: "DELETE", key });
      await gone.body?.cancel();
    },
  };
}
