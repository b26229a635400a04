// The bundled places as a geocoder: a thread that is started by the first question, and again should it ever end.
import { Worker } from "node:worker_threads";
import { errorCode } from "@psp/contract/errors.ts";
import { AppError } from "../kit/app-error.ts";
import type { Asked, Question } from "./gazetteer-thread.adapter.ts";
import type { Geocoder, Spot } from "./geocode.rules.ts";

type Waiting = { resolve: (answer: unknown) => void; reject: (error: Error) => void };
type Thread = { ask(question: Question): Promise<unknown> };

let thread: Thread | null = null;

export const bundledGeocoder: Geocoder = {
  find: async (text) => (await askThread({ text })) as Spot[],
};

/** The bundled place at or near a point, null where there is none. */
export async function placeNear(lat: number, lng: number): Promise<Spot | null> {
  return (await askThread({ lat, lng })) as Spot | null;
}

function askThread(question: Question): Promise<unknown> {
  thread ??= startThread();
  return thread.ask(question);
}

function startThread(): Thread {
  const worker = new Worker(new URL("gazetteer-thread.adapter.ts", import.meta.url));
  const waiting = new Map<number, Waiting>();
  let last = 0;
  // It must not keep a process that is done, nor one that waits for nothing else.
  worker.unref();
  worker.on("message", ({ id, answer }: { id: number; answer: unknown }) => {
    waiting.get(id)?.resolve(answer);
    waiting.delete(id);
    if (waiting.size === 0) worker.unref();
  });
  const end = (cause?: unknown) => {
    // By then another one may have begun.
    if (thread === own) thread = null;
    for (const { reject } of waiting.values()) reject(new AppError(errorCode.internalError, {}, { cause }));
    waiting.clear();
  };
  worker.on("error", end);
  worker.on("exit", end);
  const own: Thread = {
    ask: (question) =>
      new Promise((resolve, reject) => {
        const asked: Asked = { ...question, id: (last += 1) };
        waiting.set(asked.id, { resolve, reject });
        worker.ref();
        worker.postMessage(asked);
      }),
  };
  return own;
}
