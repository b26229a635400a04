// Ends the sessions of sensors that were deleted or changed owner, with limited concurrency and retries.
import pLimit from "p-limit";

type Steps = {
  findUndeletedSensors(sensorIds: readonly string[]): Promise<ReadonlySet<string>>;
  abandon(sensorId: string): void;
  /** Ends the session, and revokes the credential if `isGone`. Must be idempotent. */
  end(sensorId: string, isGone: boolean): Promise<void>;
  onError(error: unknown): void;
};

const partSize = 500;
/** Limited because an external broker confirms each call separately. */
const defaultConcurrentEnds = 50;
const defaultRetryMs = 5_000;

export function createDisconnector(
  steps: Steps,
  { maxConcurrentEnds = defaultConcurrentEnds, retryMs = defaultRetryMs } = {},
) {
  const again = new Set<string>();
  let timer: NodeJS.Timeout | null = null;
  let stopped = false;

  function later(sensorIds: readonly string[]) {
    if (stopped) return;
    for (const id of sensorIds) again.add(id);
    timer ??= setTimeout(() => {
      timer = null;
      const ids = [...again];
      again.clear();
      void endAll(ids);
    }, retryMs).unref();
  }

  async function endPart(part: readonly string[]): Promise<void> {
    const undeleted = await steps.findUndeletedSensors(part);
    await pLimit(maxConcurrentEnds).map(part, async (id) => {
      if (stopped) return;
      await steps.end(id, !undeleted.has(id)).catch((error: unknown) => {
        steps.onError(error);
        later([id]);
      });
    });
  }

  async function endAll(sensorIds: readonly string[]): Promise<void> {
    for (let n = 0; n < sensorIds.length && !stopped; n += partSize) {
      const part = sensorIds.slice(n, n + partSize);
      await endPart(part).catch((error: unknown) => {
        steps.onError(error);
        later(part);
      });
    }
  }

  return {
    /** Resolves after the first attempt for each sensor. */
    end(sensorIds: readonly string[]) {
      // Rejects pending requests, which must not get a response from the next owner's sensor.
      for (const id of sensorIds) steps.abandon(id);
      return endAll(sensorIds);
    },
    stop() {
      stopped = true;
      if (timer) clearTimeout(timer);
      again.clear();
    },
  };
}
