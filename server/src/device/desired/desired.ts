// What a device should be: computed from the sensor, numbered when it changes, published retained (docs/rules/devices.md#desired-state);
// and the queue of those to be published: however many change at once, a few parts are at work at a time.
import { type Desired, desiredSchema } from "@psp/contract/device/device-messages.ts";
import { isDeepStrictEqual } from "node:util";
import type { Context } from "../../context.ts";
import { write } from "../../db/write.ts";
import type { Capability, DesiredContent, DesiredPart } from "../capability.ts";
import { type DesiredRow, lockDesired, saveDesired } from "./desired.store.ts";

/**
 * The desired state of these sensors with its number; the number rises only when the content differs from the last.
 * Firmware waiting for a connected sensor is offered with it; `base` is where devices fetch it.
 */
export async function desiredOf(
  ctx: Context,
  capabilities: readonly Capability[],
  base: string,
  sensorIds: readonly string[],
): Promise<Map<string, Desired>> {
  return write(ctx, { system: "desired" }, async (w) => {
    // They hold the sensors first of all: who looks at one at the same time waits, and then sees all that this one did.
    const parts: DesiredPart[] = [];
    for (const { desired } of capabilities) if (desired) parts.push(await desired(ctx, w, base, sensorIds));
    const numbered = (await lockDesired(w.tx, sensorIds)).map((row) => {
      // As JSON has it: what is stored knows no undefined.
      const content = JSON.parse(JSON.stringify(contentOf(row, parts))) as DesiredContent;
      const isSame = row.desired !== null && isDeepStrictEqual(row.desired, content);
      return { id: row.id, num: row.num, content, isSame, rev: isSame ? row.desired_rev : row.desired_rev + 1 };
    });
    await saveDesired(
      w.tx,
      numbered.filter((one) => !one.isSame),
    );
    for (const part of parts) await part.onNumbered?.(w, numbered);
    return new Map(numbered.map(({ id, content, rev }) => [id, desiredSchema.parse({ ...content, rev })]));
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
  partSize: number;
  atOnce: number;
  onError(error: unknown): void;
  /** May the same again work later? Then it is retried after `retryMs`. */
  mayPass?: (error: unknown) => boolean;
  retryMs?: number;
};

const defaultRetryMs = 5_000;

/** What people change by hand; it does not wait behind a batch. */
const handful = 50;

export function createDesiredQueue(
  publish: (sensorIds: readonly string[]) => Promise<void>,
  { partSize, atOnce, onError, mayPass = () => false, retryMs = defaultRetryMs }: Options,
) {
  const few = new Set<string>();
  const many = new Set<string>();
  const working = new Set<Promise<void>>();
  const again = new Set<NodeJS.Timeout>();
  // Two concurrent reads of one sensor could publish the older state last.
  const busy = new Map<string, Promise<void>>();

  function nextPart(): string[] {
    const part: string[] = [];
    for (const waiting of [few, many])
      for (const id of waiting) {
        if (part.length >= partSize) return part;
        if (busy.has(id)) continue;
        waiting.delete(id);
        part.push(id);
      }
    return part;
  }

  function goOn() {
    while (working.size < atOnce) {
      const part = nextPart();
      if (part.length === 0) return;
      const work: Promise<void> = begin(part)
        .catch((error: unknown) => {
          onError(error);
          if (mayPass(error)) later(part);
        })
        .finally(() => {
          working.delete(work);
          goOn();
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
    const line = sensorIds.length > handful ? many : few;
    for (const id of sensorIds) line.add(id);
    goOn();
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
    /** Each has its turn once, however often it is named before. */
    add,
    /** Resolves when the work on this one under way now is done: what is published later was looked up later. */
    async idle(sensorId: string) {
      await Promise.all(workOn([sensorId]));
    },
    /** Publishes these ahead of the queue, and resolves afterwards; only who is at work already is waited for. */
    async publishNow(sensorIds: readonly string[]) {
      // The last look for others and the beginning are one step: nothing comes in between.
      while (workOn(sensorIds).length > 0) await Promise.all(workOn(sensorIds));
      // This read sees what they wait for, too.
      for (const waiting of [few, many]) for (const id of sensorIds) waiting.delete(id);
      await begin(sensorIds).finally(goOn);
    },
    /** Forgets who waits and resolves when no one is at work; devices ask for their state when they connect. */
    async stop() {
      few.clear();
      many.clear();
      await Promise.all(working);
      for (const timer of again) clearTimeout(timer);
    },
  };
}
