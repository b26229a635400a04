// What all sensors of one process share: clocks, truth, saved states, a limit on downloads.
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { wireId } from "@psp/contract/kit/ids.ts";
import { saveState, type SavedSensor, type Sensor, type Surroundings } from "../device/sensor-state.ts";

const downloadsAtOnce = 32;

/** Runs tasks, at most `max` at a time, in the order they came. */
function createSemaphore(max: number): Surroundings["download"] {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (task) => {
    if (running >= max) await new Promise<void>((resolve) => waiting.push(resolve));
    running++;
    try {
      return await task();
    } finally {
      running--;
      waiting.shift()?.();
    }
  };
}

export type StateStore = { load(id: string): SavedSensor | undefined; keep(sensor: Sensor): void };

/** Keeps nothing between runs. */
export function noStore(): StateStore {
  return { load: () => undefined, keep: () => undefined };
}

/** One JSON file per sensor; written beside and renamed, so that a crash never leaves half a file. */
export function storeIn(directory: string): StateStore {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const pathOf = (id: string): string => join(directory, `${wireId(id)}.json`);
  return {
    load(id) {
      if (!existsSync(pathOf(id))) return undefined;
      try {
        const saved: SavedSensor = JSON.parse(readFileSync(pathOf(id), "utf8"));
        return saved.id === id ? saved : undefined;
      } catch {
        throw new Error(`${pathOf(id)} is damaged. Remove it to let the sensor start as new.`);
      }
    },
    keep(sensor) {
      writeFileSync(`${pathOf(sensor.id)}.new`, JSON.stringify(saveState(sensor)), { mode: 0o600 });
      renameSync(`${pathOf(sensor.id)}.new`, pathOf(sensor.id));
    },
  };
}

/** Appends one JSON line per installation to a file, on disk before the sensor boots into it. */
export function installsInFile(path: string, now: () => number): Surroundings["installed"] {
  return (sensor, job, version) => appendFileSync(path, `${JSON.stringify({ sensor, job, version, at: now() })}\n`);
}

type Parts = Pick<Surroundings, "clock" | "net" | "truth" | "log"> &
  Partial<Pick<Surroundings, "installed" | "hurry">> & { store: Pick<StateStore, "keep"> };

export function surroundings({ store, ...parts }: Parts): Surroundings {
  return {
    installed: () => undefined,
    hurry: 1,
    ...parts,
    keep: store.keep,
    download: createSemaphore(downloadsAtOnce),
  };
}
