// The all-clear: one mail when an outage is over, to those who were mailed about it and still would be (ADR 0022).
import type { Tx } from "../../db/database.ts";
import { zoneOf } from "@psp/contract/kit/zone.ts";
import { findSubjects } from "../monitoring.store.ts";
import { findRecipients, mailingOf, whyNotMailed } from "./alert.service.ts";
import type { NewAlert } from "./alert.store.ts";
import * as store from "./all-clear.store.ts";
import { whenToMail } from "./when.rules.ts";

/**
 * Notes which states ended, and plans the all-clears of the outages that are over with them. An outage is what one mail said of one kind
 * of issue at one location: it is over when all its sensors are well again.
 */
export async function planAllClears(tx: Tx, ended: readonly store.Ended[], nowMs: number): Promise<NewAlert[]> {
  const mailed = await store.endAlertsAbout(tx, ended, new Date(nowMs));
  const clears = await store.findAllClears(tx, mailed);
  if (clears.length === 0) return [];
  const subjects = await findSubjects(tx, [...new Set(clears.map(({ num }) => num))]);
  const mailings = new Map(subjects.map((subject) => [subject.num, mailingOf(subject)]));
  const recipientsOf = await findRecipients(
    tx,
    [...mailings.values()].filter((mailing) => mailing !== null),
  );
  const planned = new Map<string, NewAlert>();
  for (const { statusId, num, recipient, status } of clears) {
    const mailing = mailings.get(num) ?? null;
    if (mailing === null || whyNotMailed(mailing.config, status) !== null) continue;
    const when = whenToMail(mailing.config.activeWeekDays, zoneOf(mailing.zone), nowMs);
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
