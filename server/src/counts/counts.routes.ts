// Maps counts calls to use cases. All run as heavy reads.
import * as calls from "@psp/contract/counts/counts.api.ts";
import type { Binder } from "../http/bind.ts";
import type { HeavyReads } from "../http/heavy-reads.ts";
import { disconnectSignal } from "../http/long-calls.ts";
import { compareLocations } from "./compare/compare.service.ts";
import { createTotalCountsReader } from "./compare/total.service.ts";
import { getCounts, getTypicalWeek } from "./counts.service.ts";
import { compareGroups } from "./group/group.service.ts";
import { createTodayReader } from "./today/today.service.ts";

export function countsRoutes(bind: Binder, heavy: HeavyReads): void {
  const totalCounts = createTotalCountsReader(heavy.run);
  const todayCounts = createTodayReader(heavy.run);
  bind.session(
    calls.getCounts,
    heavy.handler((ctx, caller, { query }) => getCounts(ctx, caller, query)),
  );
  bind.session(
    calls.getTypicalWeek,
    heavy.handler((ctx, caller, { query }) => getTypicalWeek(ctx, caller, query)),
  );
  bind.session(
    calls.listLocationCounts,
    heavy.handler((ctx, caller, { query }) => {
      const { groupBy = "none" } = query;
      return groupBy === "none" ? compareLocations(ctx, caller, query) : compareGroups(ctx, caller, query, groupBy);
    }),
  );
  bind.session(calls.totalCounts, (caller, { query }, { reply }) =>
    totalCounts(caller, query, disconnectSignal(reply)),
  );
  bind.session(calls.todayCounts, (caller, { query }, { reply }) =>
    todayCounts(caller, query, disconnectSignal(reply)),
  );
}
