// Declares the live source of issues, for viewers of the sensor. Only those who may view the location get its id.
import { canView } from "@psp/contract/permission/can.ts";
import type { Context } from "../../context.ts";
import { createOwnedLiveSource } from "../../owned/owned.live.ts";
import { findIssuesForLive } from "./issue.store.ts";
import { toIssue } from "./issue.wire.ts";

export const issueLiveSource = (ctx: Context) =>
  createOwnedLiveSource(ctx, {
    rights: "sensor",
    load: (ids) => findIssuesForLive(ctx.db, ids),
    otherOwners: ({ locationOwnerId }) => [locationOwnerId],
    variantOf: (actor, { locationOwnerId }, owners) => {
      const owner = owners.get(locationOwnerId ?? "");
      return owner && canView(actor, "measurement", owner) ? "located" : "";
    },
    render: (row, variant) => ({
      _id: row.id,
      ...toIssue({ ...row, locationId: variant === "located" ? row.locationId : null }),
    }),
  });
