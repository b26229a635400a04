// Declares the live source of issues, for viewers of the sensor.
import type { Context } from "../../context.ts";
import { createOwnedLiveSource } from "../../owned/owned.live.ts";
import { findIssuesForLive } from "./issue.store.ts";
import { toIssue } from "./issue.wire.ts";

export const issueLiveSource = (ctx: Context) =>
  createOwnedLiveSource(ctx, {
    rights: "sensor",
    load: (ids) => findIssuesForLive(ctx.db, ids),
    render: (row) => ({ _id: row.id, ...toIssue(row) }),
  });
