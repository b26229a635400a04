// Maps calls for public holidays to use cases.
import * as calls from "@psp/contract/opening/opening.api.ts";
import type { Binder } from "../http/bind.ts";
import { listCalendars } from "./holidays.adapter.ts";
import { listHolidaysOfYear } from "./opening.service.ts";

export function openingRoutes(bind: Binder): void {
  bind.session(calls.listHolidayCalendars, async () => [...listCalendars()]);
  bind.session(calls.listHolidays, async (_caller, { query: { country, region = null, year } }) =>
    listHolidaysOfYear(country, region, year),
  );
}
