// Worker thread that derives one key after the other, outside libuv's thread pool.
import { argon2Sync } from "node:crypto";
import { parentPort } from "node:worker_threads";

/** `memory` in KiB, `tagLength` in bytes. */
export type DerivationRequest = {
  message: Uint8Array;
  nonce: Uint8Array;
  memory: number;
  passes: number;
  parallelism: number;
  tagLength: number;
};

parentPort?.on("message", (asked: DerivationRequest) => parentPort?.postMessage(argon2Sync("argon2id", asked)));
