// Deletes orphaned packages: interrupted uploads, and files of firmware deleted long ago.
import type { Context } from "../../context.ts";
import type { Job } from "../../kit/job.ts";
import { maxLinkLifetimeMs } from "./download-link.rules.ts";
import { removePackage } from "./package.service.ts";
import { findOrphanedPackages, detachDeletedFirmware } from "./package.store.ts";

const everyMs = 15 * 60_000;
/** An upload without progress for this time is considered aborted. */
const idleMs = 3_600_000;

export function packageSweepJob(ctx: Context): Job {
  return {
    name: "firmware packages",
    everyMs,
    async run() {
      // Keeps the files of deleted firmware as long as download links may be valid.
      await detachDeletedFirmware(ctx.db, new Date(ctx.clock.now() - maxLinkLifetimeMs));
      for (const one of await findOrphanedPackages(ctx.db, new Date(ctx.clock.now() - idleMs))) {
        await removePackage(ctx, one.id, one.kept_in).catch((error: unknown) =>
          ctx.log.warn({ err: error, package: one.id }, "a package could not be removed yet"),
        );
      }
    },
  };
}
