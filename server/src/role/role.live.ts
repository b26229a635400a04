// Roles for the live hub: everybody who sees one sees the same.
import type { Context } from "../context.ts";
import { ownedLiveSource } from "../owned/owned.live.ts";
import { findRolesForLive } from "./role.store.ts";
import { toRole } from "./role.wire.ts";

export const roleLiveSource = (ctx: Context) =>
  ownedLiveSource(ctx, {
    rights: "role",
    load: (ids) => findRolesForLive(ctx.db, ids),
    render: (row) => toRole(ctx, row),
  });
