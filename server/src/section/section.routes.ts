// Maps the call of the settings pages of ZOD and PS.C1 to its use case.
import { callSensorRpc } from "@psp/contract/section/section.api.ts";
import type { Context } from "../context.ts";
import type { Binder } from "../http/bind.ts";
import { type AskSensor, createSectionService } from "./section.service.ts";

export type SectionDependencies = { askSensor: AskSensor };

export function sectionRoutes(bind: Binder, ctx: Context, { askSensor }: SectionDependencies): void {
  const service = createSectionService(ctx, askSensor);
  bind.session(
    callSensorRpc,
    (caller, { params, body }) => service.answer(caller, params.id, body),
    (caller, { id }) => service.requireSensor(caller, id),
  );
}
