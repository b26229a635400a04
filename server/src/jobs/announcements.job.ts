// Deletes announcements that no process needs any more; runs every minute.
import type { Context } from "../context.ts";
import { deleteOldAnnouncements } from "../db/bus/announcement.store.ts";
import type { Job } from "../kit/job.ts";

/** Seconds within which consoles can resume, and processes can catch up. */
const keptS = 900;

export function announcementsJob(ctx: Context): Job {
  return { name: "announcements", everyMs: 60_000, run: () => deleteOldAnnouncements(ctx.db, keptS) };
}
