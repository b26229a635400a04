// Runs the bundled geocoder in a worker thread, which starts with the first query and again if it has ended.
import { Worker } from "node:worker_threads";
import { errorCode } from "@psp/contract/errors.ts";
import { AppError } from "../kit/app-error.ts";
import type { GazetteerRequest, GazetteerQuery } from "./gazetteer-thread.adapter.ts";
import type { Geocoder, Spot } from "./geocode.rules.ts";

type Waiting = { resolve: (answer: unknown) => void; reject: (error: Error) => void };
type Thread = { ask(question: GazetteerQuery): Promise<unknown> };

let thread: Thread | null = null;

export const bundledGeocoder: Geocoder = {
  find: async (text) => (await askThread({ text })) as Spot[],
};

export async function findPlaceNear(lat: number, lng: number): Promise<Spot | null> {
  return (await askThread({ lat, lng })) as Spot | null;
}

function askThread(question: GazetteerQuery): Promise<unknown> {
  thread ??= startThread();
  return thread.ask(question);
}

function startThread(): Thread {
  const worker = new Worker(new URL("gazetteer-thread.adapter.ts", import.meta.url));
  const waiting = new Map<number, Waiting>();
  let last = 0;
  // The thread must not keep a finished process alive.
  worker.unref();
  worker.on("message", ({ id, answer }: { id: number; answer: unknown }) => {
    waiting.get(id)?.resolve(answer);
    waiting.delete(id);
    if (waiting.size === 0) worker.unref();
  });
  const end = (cause?: unknown) => {
    if (thread === own) thread = null;
    for (const { reject } of waiting.values()) reject(new AppError(errorCode.internalError, {}, { cause }));
    waiting.clear();
  };
  worker.on("error", end);
  worker.on("exit", end);
  const own: Thread = {
    ask: (question) =>
      new Promise((resolve, reject) => {
        const asked: GazetteerRequest = { ...question, id: (last += 1) };
        waiting.set(asked.id, { resolve, reject });
        worker.ref();
        worker.postMessage(asked);
      }),
  };
  return own;
}
