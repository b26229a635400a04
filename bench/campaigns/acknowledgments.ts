// Measures for how long no device of a campaign gets an acknowledgment.
const lookEveryMs = 20;

export function watchAcknowledgments(devices: readonly { acked: number }[]) {
  let [last, lastAt, longest] = [0, performance.now(), 0];
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - lastAt);
    const sum = devices.reduce((total, { acked }) => total + acked, 0);
    if (sum > last) [last, lastAt] = [sum, now];
  }, lookEveryMs);
  return {
    /** Returns the longest time between two acknowledgments of any devices since the last call, in ms. */
    take(): number {
      const taken = longest;
      longest = 0;
      return taken;
    },
    /** Waits for an acknowledgment from now on. Throws after `limitMs`. */
    async untilNext(limitMs: number): Promise<void> {
      const [before, from] = [last, performance.now()];
      while (last <= before) {
        if (performance.now() - from > limitMs) throw new Error(`No acknowledgment within ${limitMs} ms`);
        await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
      }
    },
    stop: () => clearInterval(timer),
  };
}
