// Threads that derive keys: one for each derivation at the same time, started by the first ones and kept.
import { Worker } from "node:worker_threads";
import { errorCode } from "@psp/contract/errors.ts";
import { AppError } from "../kit/app-error.ts";
import type { Derivation } from "./hashing-thread.adapter.ts";

let idle: Worker[] = [];

/**
 * The Argon2id tag. Node's own asynchronous call would queue behind whatever else uses libuv's pool of four threads:
 * a few compressions would keep every login waiting. Throws 101 when the thread ends. The caller bounds how many run.
 */
export function derive(asked: Derivation): Promise<Buffer> {
  const thread = idle.pop() ?? startThread();
  // An idle thread must not keep a process that is done.
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
  // Without a listener an error would end the process.
  thread.on("error", forget).on("exit", forget);
  return thread;
}
