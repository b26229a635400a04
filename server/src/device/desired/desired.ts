// Computes the desired state of sensors, assigns revisions, and publishes it as a retained message with limited concurrency
// (docs/rules/devices.md#desired-state).
import { type DesiredState, desiredStateSchema } from "@psp/contract/device/device-messages.ts";
import { isDeepStrictEqual } from "node:util";
import type { Context } from "../../context.ts";
import { write } from "../../db/write.ts";
import type { Capability, DesiredContent, DesiredPart } from "../capability.ts";
import { type DesiredRow, lockDesiredStates, saveDesiredStates } from "./desired.store.ts";

/**
 * Returns the desired states with their revisions. A revision increases only when the content changes. Also offers waiting firmware to
 * connected sensors. `base` is the URL at which devices download it.
 */
export async function computeDesiredStates(
  ctx: Context,
  capabilities: readonly Capability[],
  base: string,
  sensorIds: readonly string[],
): Promise<Map<string, DesiredState>> {
  return write(ctx, { system: "desired" }, async (w) => {
    // The firmware capability locks the sensors first: a concurrent computation waits and then sees these changes.
    const parts: DesiredPart[] = [];
    for (const { desired } of capabilities) if (desired) parts.push(await desired(ctx, w, base, sensorIds));
    const numbered = (await lockDesiredStates(w.tx, sensorIds)).map((row) => {
      // Drops undefined values, so that the content can be compared with the stored JSON.
      const content = JSON.parse(JSON.stringify(contentOf(row, parts))) as DesiredContent;
      const isSame = row.desired !== null && isDeepStrictEqual(row.desired, content);
      return { id: row.id, num: row.num, content, isSame, rev: isSame ? row.desired_rev : row.desired_rev + 1 };
    });
    await saveDesiredStates(
      w.tx,
      numbered.filter((one) => !one.isSame),
    );
    for (const part of parts) await part.onNumbered?.(w, numbered);
    return new Map(numbered.map(({ id, content, rev }) => [id, desiredStateSchema.parse({ ...content, rev })]));
  });
}

function contentOf(row: DesiredRow, parts: readonly DesiredPart[]): DesiredContent {
  return Object.assign(
    {
      cfg: { countIntervalS: 300, health: true, liveFlow: row.live_flow },
      fw: null,
    },
    ...parts.map((part) => part.contentOf(row.num)),
  ) as DesiredContent;
}

type Options = {
  chunkSize: number;
  concurrency: number;
  onError(error: unknown): void;
  /** Whether a retry may succeed; if so, it runs after `retryMs`. */
  isTransient?: (error: unknown) => boolean;
  retryMs?: number;
};

const defaultRetryMs = 5_000;

/** Batches up to this size are treated as manual changes and published before large ones. */
const maxManual = 50;

export function createDesiredQueue(
  publish: (sensorIds: readonly string[]) => Promise<void>,
  { chunkSize, concurrency, onError, isTransient = () => false, retryMs = defaultRetryMs }: Options,
) {
  const few = new Set<string>();
  const many = new Set<string>();
  const working = new Set<Promise<void>>();
  const again = new Set<NodeJS.Timeout>();
  // Running publications by sensor. Two concurrent ones for one sensor could publish the older state last.
  const busy = new Map<string, Promise<void>>();

  function nextChunk(): string[] {
    const part: string[] = [];
    for (const waiting of [few, many])
      for (const id of waiting) {
        if (part.length >= chunkSize) return part;
        if (busy.has(id)) continue;
        waiting.delete(id);
        part.push(id);
      }
    return part;
  }

  function startNext() {
    while (working.size < concurrency) {
      const part = nextChunk();
      if (part.length === 0) return;
      const work: Promise<void> = begin(part)
        .catch((error: unknown) => {
          onError(error);
          if (isTransient(error)) later(part);
        })
        .finally(() => {
          working.delete(work);
          startNext();
        });
      working.add(work);
    }
  }

  const workOn = (sensorIds: readonly string[]) => sensorIds.flatMap((id) => busy.get(id) ?? []);

  function later(part: readonly string[]) {
    const timer = setTimeout(() => {
      again.delete(timer);
      add(part);
    }, retryMs).unref();
    again.add(timer);
  }

  function add(sensorIds: readonly string[]) {
    const line = sensorIds.length > maxManual ? many : few;
    for (const id of sensorIds) line.add(id);
    startNext();
  }

  function begin(part: readonly string[]): Promise<void> {
    const work = publish(part).finally(() => {
      for (const id of part) busy.delete(id);
    });
    const over = work.catch(() => undefined);
    for (const id of part) busy.set(id, over);
    return work;
  }

  return {
    add,
    /** Resolves when the current publication of this sensor is done. */
    async idle(sensorId: string) {
      await Promise.all(workOn([sensorId]));
    },
    /** Publishes these sensors ahead of the queue. Waits only for running publications of the same sensors. */
    async publishNow(sensorIds: readonly string[]) {
      // No `await` may come between the last check and `begin`, so that no other publication can start.
      while (workOn(sensorIds).length > 0) await Promise.all(workOn(sensorIds));
      for (const waiting of [few, many]) for (const id of sensorIds) waiting.delete(id);
      await begin(sensorIds).finally(startNext);
    },
    /** Drops the queue and waits for running work; devices get their state when they connect. */
    async stop() {
      few.clear();
      many.clear();
      await Promise.all(working);
      for (const timer of again) clearTimeout(timer);
    },
  };
}
