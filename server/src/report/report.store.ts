// Queries for reports and the logins that made them.
import type { reportListQuery } from "@psp/contract/report/report.api.ts";
import type { RecipientStatus } from "@psp/contract/report/report.ts";
import type { SortKey } from "@psp/contract/kit/page.ts";
import { type Expression, type Selectable, sql } from "kysely";
import type { z } from "zod";
import type { Reader, Tx } from "../db/database.ts";
import { type Condition, conjunction, limitClause, nameSortKeys, orderBy, type PageSlice } from "../db/list.ts";
import type { Tables } from "../db/tables.ts";
import { whereViewable } from "../db/visible.ts";
import type { Caller } from "../kit/caller.ts";
import { ownedConditions, ownerColumns, visibleByOwner } from "../owned/owned.store.ts";
import type { OwnerColumns } from "../owned/owner.ts";
import { recipientStatus } from "./recipient/recipient.store.ts";
import { mayEditReport } from "./report.rights.ts";

type ReportFilter = Pick<z.output<typeof reportListQuery>, "ids" | "name" | "ownerID">;

type Recipient = { email: string; status: RecipientStatus };
export type ReportRow = OwnerColumns &
  Selectable<Tables["report"]> & {
    may_edit: boolean;
    recipients: Recipient[];
    recipient_count: number;
    /** Null if the viewer may not view that account, or if it is gone. */
    creator: { _id: string; name: string } | null;
  };

/** Reports are visible like the locations of their owner. */
export const reportTable = { table: "report", sees: visibleByOwner("report", "measurement") } as const;

const sortable = {
  name: nameSortKeys("report"),
  owner: nameSortKeys("owner"),
  nextAt: [sql.ref("report.next_at")],
  _id: [sql.ref("report.id")],
};

export function reportConditions(caller: Caller, filter: ReportFilter, includeDeleted?: boolean): Condition[] {
  return ownedConditions(reportTable, caller, filter, includeDeleted);
}

const recipientCount = sql`(select count(*) from report_recipient r where r.report_id = report.id and not r.is_removed) as recipient_count`;

/** Recipients are read only for those who may edit the report. */
function rowQuery(caller: Caller, where: Expression<unknown>) {
  const seenCreator = whereViewable(caller, "owner", "maker");
  return sql<ReportRow>`
    select report.*, ${ownerColumns}, rights.may_edit, ${recipientCount},
      case when rights.may_edit then coalesce((
        select jsonb_agg(jsonb_build_object('email', r.email, 'status', ${recipientStatus(caller)}) order by r.position, r.email)
        from report_recipient r where r.report_id = report.id and not r.is_removed), '[]') else '[]' end as recipients,
      case when not maker.is_deleted and ${seenCreator}
        then jsonb_build_object('_id', maker.id, 'name', maker.name) end as creator
    from report
    join account owner on owner.id = report.owner_id
    left join credential login on login.id = report.creator_id and not login.is_deleted
    left join account maker on maker.id = login.account_id
    cross join lateral (select ${mayEditReport(caller)} as may_edit) rights
    where ${where}`;
}

export async function findReportPage(
  db: Reader,
  caller: Caller,
  conditions: Condition[],
  sort: SortKey[],
  part: PageSlice,
): Promise<ReportRow[]> {
  const order = orderBy(sort.length > 0 ? sort : [{ field: "name", descending: false }], sortable, "report.id");
  const { rows } = await sql<ReportRow>`
    ${rowQuery(caller, conjunction(conditions))} order by ${order} ${limitClause(part)}`.execute(db);
  return rows;
}

export async function findReport(db: Reader, caller: Caller, id: string): Promise<ReportRow | null> {
  const where = conjunction([...reportConditions(caller, {}), sql<boolean>`report.id = ${id}`]);
  const { rows } = await rowQuery(caller, where).execute(db);
  return rows[0] ?? null;
}

export async function mayEdit(db: Reader, caller: Caller, id: string): Promise<boolean> {
  const { rows } = await sql<{ may: boolean }>`
    select ${mayEditReport(caller)} as may from report where id = ${id}`.execute(db);
  return rows[0]?.may === true;
}

/** Omits recipients and the creator. Does not check rights, because the live hub does. */
export async function findReportsForLive(db: Reader, ids: string[]) {
  const { rows } = await sql<Omit<ReportRow, "may_edit" | "recipients" | "creator">>`
    select report.*, ${ownerColumns}, ${recipientCount} from report join account owner on owner.id = report.owner_id
    where report.id = any(${ids}::uuid[]) and not report.is_deleted`.execute(db);
  return rows;
}

/** The report without regard to rights, for runs and mailed links. */
export async function lockReport(db: Reader, id: string) {
  return db.selectFrom("report").selectAll().where("id", "=", id).forUpdate().executeTakeFirst();
}

/** The first key of the advisory locks. */
const limitLock = 7_305_143;

/** Counts reports of an owner. Concurrent counts for this owner wait for the commit. */
export async function countReportsForLimit(tx: Tx, ownerId: string): Promise<number> {
  await sql`select pg_advisory_xact_lock(${limitLock}, hashtext(${ownerId}))`.execute(tx);
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from report where owner_id = ${ownerId} and not is_deleted and not is_weekly`.execute(tx);
  return rows[0]?.n ?? 0;
}

export async function findReportOfLogin(db: Reader, credentialId: string) {
  return db
    .selectFrom("report")
    .selectAll()
    .where("creator_id", "=", credentialId)
    .where("is_weekly", "=", true)
    .where("is_deleted", "=", false)
    .executeTakeFirst();
}

export type Login = { id: string; email: string; accountId: string; accountName: string; accountPath: string };

/** Finds a login whose registration is complete. Excludes deleted logins and logins of deleted accounts. */
export async function findLogin(db: Reader, credentialId: string): Promise<Login | undefined> {
  const { rows } = await sql<Login>`
    select c.id, c.email, a.id as "accountId", a.name as "accountName", a.path as "accountPath"
    from credential c join account a on a.id = c.account_id
    where c.id = ${credentialId} and not c.is_deleted and c.step = 2 and not a.is_deleted`.execute(db);
  return rows[0];
}
