// Audits what people do at a sensor's settings pages: changes with their outcome, and views of pictures.
import type { RpcCall, SetResult } from "@psp/contract/section/rpc.ts";
import { withoutSecrets } from "@psp/contract/section/saving.ts";
import type { Context } from "../context.ts";
import { amendAudit, write } from "../db/write.ts";
import type { Caller } from "../kit/caller.ts";
import { uuidv7 } from "../kit/uuid.ts";
import type { OwnerWithPath } from "../owned/owner.ts";
import type * as store from "./section.store.ts";

/** A preview counts as opened again after this time without views (docs/rules/settings.md#previews). */
const openedAfterMs = 60_000;
const maxOpened = 10_000;

export type RecordedChange = {
  done(outcome: { applied: SetResult["applied"] | undefined }): Promise<void>;
  failed(reason: string): Promise<void>;
};

export function createSectionAudit(ctx: Context) {
  /** Last view by person and preview, oldest first. */
  const looked = new Map<string, number>();

  /**
   * Writes the audit row with an unknown outcome before the change is sent, so that no later failure can lose it. Null
   * if nothing changes.
   */
  async function recordChange(
    caller: Caller,
    sensor: store.SectionedSensor,
    owner: OwnerWithPath,
    call: RpcCall,
    known: ReadonlyMap<string, store.StoredSection>,
  ): Promise<RecordedChange | null> {
    if (call.method !== "config.set" && call.method !== "device.restart") return null;
    const id = uuidv7(ctx.clock.now());
    const { method } = call;
    const section = call.method === "config.set" ? call.section : null;
    const values = section && known.get(section.key)?.answer.values;
    const asked =
      call.method === "config.set"
        ? { section: call.section.key, values: withoutSecrets(call.section, call.values) }
        : {};
    const before = section && values ? { section: section.key, values } : null;
    await record(caller, sensor, owner, method, { id, before, after: { ...asked, applied: "unknown" } });
    return {
      done: (outcome) => amendAudit(ctx.db, id, { action: method, after: { ...asked, ...outcome } }),
      failed: (reason) => amendAudit(ctx.db, id, { action: `${method}-failed`, after: { ...asked, reason } }),
    };
  }

  async function record(
    { request, ...caller }: Caller,
    sensor: store.SectionedSensor,
    owner: OwnerWithPath,
    action: string,
    facts: { id?: string; before?: unknown; after?: unknown },
  ): Promise<void> {
    const author = { ...caller, request: { ...request, idempotency: null } };
    await write(ctx, author, async (w) => {
      w.audit({ action, object: { type: "sensor", _id: sensor.id }, owner, ...facts });
    });
  }

  /** Audits each opening of a preview, because pictures show people. Does not audit each picture. */
  async function noteLook(
    caller: Caller,
    sensor: store.SectionedSensor,
    owner: OwnerWithPath,
    kind: string,
  ): Promise<void> {
    const key = `${caller.id} ${sensor.id} ${kind}`;
    const now = ctx.clock.now();
    const last = looked.get(key);
    looked.delete(key);
    looked.set(key, now);
    if (looked.size > maxOpened) looked.delete(looked.keys().next().value ?? "");
    if (last === undefined || now - last > openedAfterMs)
      await record(caller, sensor, owner, "preview", { after: { kind } });
  }

  return { recordChange, noteLook };
}
