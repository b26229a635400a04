// Resolves the location or sensor of a counts request.
import { errorCode } from "@psp/contract/errors.ts";
import type { Context } from "../context.ts";
import { AppError } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import { findLocationSubject, findSensorSubject, type Subject } from "./subject.store.ts";

const finders = { location: findLocationSubject, sensor: findSensorSubject };

export async function requireSubject(ctx: Context, caller: Caller, kind: Subject["kind"], id: string) {
  const subject = await finders[kind](ctx.db, caller, id);
  if (!subject) throw new AppError(errorCode.notFound);
  return subject;
}
