// Measures reads of announcements, and since when a commit waits to be read.
import { Gauge } from "prom-client";
import type { Metrics } from "../../kit/metrics.ts";

export function createReadMeter(metrics: Metrics) {
  let noticedAt: number | null = null;
  let lastReadAt = performance.now();
  new Gauge({
    name: "psp_announcements_age_seconds",
    help: "Time since the last read of announcements: all that were committed before it were passed on",
    registers: [metrics.registry],
    collect() {
      this.set((performance.now() - lastReadAt) / 1000);
    },
  });
  return {
    noticed: () => void (noticedAt ??= performance.now()),
    /** `since`: when the first commit was noticed; if none was, the begin of the read before. */
    begin() {
      const begunAt = performance.now();
      const since = noticedAt ?? lastReadAt;
      noticedAt = null;
      return {
        since,
        failed: () => void (noticedAt = since),
        done(events: number): void {
          lastReadAt = begunAt;
          metrics.announcementsRead.inc(events);
          metrics.announcementSeconds.observe((performance.now() - begunAt) / 1000);
        },
      };
    },
  };
}
