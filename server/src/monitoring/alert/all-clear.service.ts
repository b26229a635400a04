// Plans one all-clear mail at the end of an outage, for recipients who were mailed about it and still would be (ADR 0022).
import type { Tx } from "../../db/database.ts";
import { zoneOf } from "@psp/contract/kit/zone.ts";
import { findEvaluatedSensors } from "../monitoring.store.ts";
import { findRecipients, resolveAppliedConfig, findNoMailReason } from "./alert.service.ts";
import type { NewAlert } from "./alert.store.ts";
import * as store from "./all-clear.store.ts";
import { computeMailTime } from "./when.rules.ts";

/**
 * Records ended states and plans all-clears for the outages that end with them. An outage is all that one mail reported about one kind
 * of issue at one location; it ends when all its sensors are ok.
 */
export async function planAllClears(tx: Tx, ended: readonly store.EndedState[], nowMs: number): Promise<NewAlert[]> {
  const mailed = await store.markAlertsEnded(tx, ended, new Date(nowMs));
  const clears = await store.findAllClears(tx, mailed);
  if (clears.length === 0) return [];
  const subjects = await findEvaluatedSensors(tx, [...new Set(clears.map(({ num }) => num))]);
  const mailings = new Map(subjects.map((subject) => [subject.num, resolveAppliedConfig(subject)]));
  const recipientsOf = await findRecipients(
    tx,
    [...mailings.values()].filter((mailing) => mailing !== null),
  );
  const planned = new Map<string, NewAlert>();
  for (const { statusId, num, recipient, status } of clears) {
    const mailing = mailings.get(num) ?? null;
    if (mailing === null || findNoMailReason(mailing.config, status) !== null) continue;
    const when = computeMailTime(mailing.config.activeWeekDays, zoneOf(mailing.zone), nowMs);
    const credentialId = recipientsOf(mailing).get(recipient);
    if (when === null || credentialId === undefined) continue;
    planned.set(`${statusId} ${recipient}`, {
      statusId,
      recipient,
      credentialId,
      accountId: mailing.accountId,
      ...when,
    });
  }
  return [...planned.values()];
}
