// Maps the demo call to its use case.
import * as calls from "@psp/contract/demo/demo.api.ts";
import type { Context } from "../context.ts";
import type { Binder } from "../http/bind.ts";
import { getDemoProgress } from "./history.service.ts";

export function demoRoutes(bind: Binder, ctx: Context): void {
  bind.session(calls.getDemoDataProgress, () => getDemoProgress(ctx));
}
