// Runs key derivation in worker threads, which are started on demand and reused.
import { Worker } from "node:worker_threads";
import { errorCode } from "@psp/contract/errors.ts";
import { AppError } from "../kit/app-error.ts";
import type { DerivationRequest } from "./hashing-thread.adapter.ts";

let idle: Worker[] = [];

/**
 * Returns the Argon2id tag. Node's asynchronous call would share libuv's four threads, where a few compressions would delay every
 * login. Throws 101 if the thread ends. The caller must limit the concurrency.
 */
export function deriveKey(asked: DerivationRequest): Promise<Buffer> {
  const thread = idle.pop() ?? startThread();
  // An idle thread must not keep a finished process alive.
  thread.ref();
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown) => reject(new AppError(errorCode.internalError, {}, { cause }));
    thread.once("error", fail).once("exit", fail);
    thread.once("message", (tag: Uint8Array) => {
      thread.off("error", fail).off("exit", fail).unref();
      idle.push(thread);
      resolve(Buffer.from(tag));
    });
    thread.postMessage(asked);
  });
}

function startThread(): Worker {
  const thread = new Worker(new URL("hashing-thread.adapter.ts", import.meta.url));
  const forget = () => void (idle = idle.filter((one) => one !== thread));
  // Without a listener, an error would end the process.
  thread.on("error", forget).on("exit", forget);
  return thread;
}
