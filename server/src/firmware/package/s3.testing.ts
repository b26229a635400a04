// A minimal fake S3 server, which verifies signatures with an independent implementation.
import { createHash, createHmac } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

const secret = "test-secret-access-key";
export type FakeS3 = {
  env: Record<string, string>;
  objects: Map<string, Buffer>;
  open: Map<string, { key: string; parts: Map<number, Buffer> }>;
  failNext(count: number): void;
  unsigned: string[];
  stop(): Promise<void>;
};

export async function createFakeS3(): Promise<FakeS3> {
  const objects = new Map<string, Buffer>();
  const open: FakeS3["open"] = new Map();
  const unsigned: string[] = [];
  let failures = 0;
  let uploads = 0;
  const server = createServer((request, response) => void answer(request, response));

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const url = new URL(request.url ?? "/", "http://s3");
    const end = (status: number, text: string | Buffer = "", headers: Record<string, string> = {}) =>
      response.writeHead(status, headers).end(text);
    if (failures > 0) {
      failures -= 1;
      return void end(503, "<Error><Code>SlowDown</Code></Error>");
    }
    if (!isSigned(request, url, body)) {
      unsigned.push(`${request.method} ${request.url}`);
      return void end(403, "<Error><Code>SignatureDoesNotMatch</Code></Error>");
    }
    const key = decodeURIComponent(url.pathname).replace(/^\/bucket\/?/, "");
    const uploadId = url.searchParams.get("uploadId");
    const upload = uploadId === null ? undefined : open.get(uploadId);
    if (request.method === "POST" && url.searchParams.has("uploads")) {
      open.set(`up load/${(uploads += 1)}`, { key, parts: new Map() });
      return void end(
        200,
        `<InitiateMultipartUploadResult><UploadId>up load/${uploads}</UploadId></InitiateMultipartUploadResult>`,
      );
    }
    if (uploadId !== null && !upload) return void end(404, "<Error><Code>NoSuchUpload</Code></Error>");
    if (upload && request.method === "PUT") {
      upload.parts.set(Number(url.searchParams.get("partNumber")), body);
      return void end(200, "", { etag: `"${md5Of(body)}"` });
    }
    if (upload && request.method === "POST") {
      const parts = [...body.toString().matchAll(/<Part>(.*?)<\/Part>/g)].map(([, part = ""]) => {
        const [, n] = /<PartNumber>(\d+)</.exec(part) ?? [];
        const [, tag] = /<ETag>(?:"|&quot;)([0-9a-f]{32})(?:"|&quot;)</.exec(part) ?? [];
        const data = upload.parts.get(Number(n));
        return data !== undefined && tag === md5Of(data) ? data : Buffer.alloc(0);
      });
      objects.set(key, Buffer.concat(parts));
      open.delete(uploadId ?? "");
      return void end(200, "<CompleteMultipartUploadResult/>");
    }
    if (upload && request.method === "DELETE") {
      open.delete(uploadId ?? "");
      return void end(204);
    }
    if (request.method === "PUT") {
      objects.set(key, body);
      return void end(200, "", { etag: `"${md5Of(body)}"` });
    }
    if (request.method === "GET" && url.searchParams.has("uploads")) {
      const prefix = url.searchParams.get("prefix") ?? "";
      const found = [...open]
        .filter(([, one]) => one.key.startsWith(prefix))
        .map(([id, one]) => `<Upload><Key>${one.key}</Key><UploadId>${id}</UploadId></Upload>`);
      return void end(200, `<ListMultipartUploadsResult>${found.join("")}</ListMultipartUploadsResult>`);
    }
    if (request.method === "DELETE") {
      objects.delete(key);
      return void end(204);
    }
    const data = objects.get(key);
    const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "");
    if (!data || !range) return void end(404, "<Error><Code>NoSuchKey</Code></Error>");
    return void end(206, data.subarray(Number(range[1]), Number(range[2]) + 1));
  }

  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return {
    env: {
      S3_ENDPOINT: `http://127.0.0.1:${port}`,
      S3_BUCKET: "bucket",
      S3_REGION: "eu-central-1",
      S3_ACCESS_KEY_ID: "AKIATEST",
      S3_SECRET_ACCESS_KEY: secret,
    },
    objects,
    open,
    unsigned,
    failNext: (count) => void (failures = count),
    stop: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

const md5Of = (data: Buffer): string => createHash("md5").update(data).digest("hex");

function isSigned(request: IncomingMessage, url: URL, body: Buffer): boolean {
  const given =
    /Credential=([^/]+)\/(\d{8})\/([\w-]+)\/s3\/aws4_request, SignedHeaders=([\w;-]+), Signature=([0-9a-f]{64})$/.exec(
      request.headers.authorization ?? "",
    );
  if (!given) return false;
  const [, id = "", day = "", region = "", signed = "", signature = ""] = given;
  const digest = (data: string | Buffer) => createHash("sha256").update(data).digest("hex");
  const at = String(request.headers["x-amz-date"]);
  const age = Math.abs(Date.now() - Date.parse(at.replace(/(....)(..)(..)T(..)(..)(..)Z/, "$1-$2-$3T$4:$5:$6Z")));
  const query = url.search.slice(1).split("&").filter(Boolean).toSorted().join("&");
  const heads = signed.split(";").map((name) => `${name}:${String(request.headers[name])}\n`);
  const canonical = `${request.method}\n${url.pathname}\n${query}\n${heads.join("")}\n${signed}\n${digest(body)}`;
  const text = `AWS4-HMAC-SHA256\n${at}\n${day}/${region}/s3/aws4_request\n${digest(canonical)}`;
  let key: Buffer | string = `AWS4${secret}`;
  for (const step of [day, region, "s3", "aws4_request"]) key = createHmac("sha256", key).update(step).digest();
  const isWhole = signed.includes("host") && signed.includes("x-amz-content-sha256");
  return (
    id === "AKIATEST" &&
    isWhole &&
    age < 900_000 &&
    request.headers["x-amz-content-sha256"] === digest(body) &&
    createHmac("sha256", key).update(text).digest("hex") === signature
  );
}
