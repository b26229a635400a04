// Package storage in S3, through Amazon's client, which is loaded lazily (ADR 0018).
import { Readable } from "node:stream";
import type * as S3 from "@aws-sdk/client-s3";
import type { S3Config } from "../../config.ts";
import type { PackageStorage } from "./package.rules.ts";

/** The minimum of S3 is 5 MiB; an upload holds about two parts in memory. */
const partBytes = 8 * 1024 * 1024;
const timeoutMs = 60_000;
const tries = 3;

/** Clients by configuration, so that connections are reused. */
const clients = new WeakMap<S3Config, Promise<Store>>();
type Store = { s3: typeof S3; client: S3.S3Client };

async function connect({ endpoint, region, accessKeyId, secretAccessKey }: S3Config): Promise<Store> {
  const s3 = await import("@aws-sdk/client-s3");
  const client = new s3.S3Client({
    endpoint,
    region,
    credentials: { accessKeyId, secretAccessKey },
    forcePathStyle: true,
    maxAttempts: tries,
    requestHandler: { connectionTimeout: timeoutMs, socketTimeout: timeoutMs },
    // Other S3 implementations may not support Amazon's newer checksums. The firmware's row has a separate checksum.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
  });
  return { s3, client };
}

function storeOf(config: S3Config): Promise<Store> {
  const store = clients.get(config) ?? connect(config);
  clients.set(config, store);
  return store;
}

export function createS3Storage(config: S3Config): PackageStorage {
  const at = (id: string) => ({ Bucket: config.bucket, Key: `firmware/${id}` });
  return {
    chunkBytes: partBytes,
    async write(id, source, onProgress) {
      const { client } = await storeOf(config);
      const { Upload } = await import("@aws-sdk/lib-storage");
      async function* watched() {
        for await (const chunk of source) {
          yield chunk;
          await onProgress();
        }
      }
      const Body = Readable.from(watched());
      await new Upload({ client, params: { ...at(id), Body }, queueSize: 1, partSize: partBytes }).done();
    },
    async *read(id, { from, to }) {
      const { s3, client } = await storeOf(config);
      const { Body } = await client.send(new s3.GetObjectCommand({ ...at(id), Range: `bytes=${from}-${to}` }));
      let bytes = 0;
      for await (const chunk of Body as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        yield chunk;
      }
      if (bytes !== to - from + 1) throw new Error(`S3 sent ${bytes} bytes of package ${id}, not ${to - from + 1}`);
    },
    async remove(id) {
      const { s3, client } = await storeOf(config);
      const { Bucket, Key } = at(id);
      const { Uploads = [] } = await client.send(new s3.ListMultipartUploadsCommand({ Bucket, Prefix: Key }));
      for (const { UploadId } of Uploads)
        await client.send(new s3.AbortMultipartUploadCommand({ Bucket, Key, UploadId }));
      await client.send(new s3.DeleteObjectCommand({ Bucket, Key }));
    },
  };
}
