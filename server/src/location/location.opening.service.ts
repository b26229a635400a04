// Opening hours that apply at a location (docs/rules/opening-hours.md#inheritance).
import { parseDay } from "@psp/contract/counts/count-range.ts";
import { errorCode } from "@psp/contract/errors.ts";
import type { HandlerInput } from "@psp/contract/kit/endpoint.ts";
import { zoneOf } from "@psp/contract/kit/zone.ts";
import type { getLocationOpeningDays } from "@psp/contract/opening/opening.api.ts";
import { findDefaultHoursIgnoringRights } from "../account/account.opening.service.ts";
import type { Context } from "../context.ts";
import { AppError } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import { listOpeningDays } from "../opening/opening.service.ts";
import { locations } from "./location.noun.ts";

const defaultDays = 28;

export async function getOpeningDays(
  ctx: Context,
  caller: Caller,
  id: string,
  { from, days = defaultDays }: HandlerInput<typeof getLocationOpeningDays>["query"],
) {
  const row = await locations.find(ctx, ctx.db, caller, id);
  if (!row) throw new AppError(errorCode.notFound);
  const inherited = row.opening_hours ? null : await findDefaultHoursIgnoringRights(ctx.db, row.owner_id);
  const openingHours = row.opening_hours ?? inherited;
  const hoursOf = row.opening_hours ? ("location" as const) : inherited ? ("account" as const) : null;
  const first = (from === undefined ? null : parseDay(from)) ?? zoneOf(row.timezone).dayAt(ctx.clock.now());
  return { hoursOf, openingHours, days: listOpeningDays(openingHours, first, days) };
}
