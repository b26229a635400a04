// Queries for firmware packages.
import { type Insertable, sql } from "kysely";
import type { Reader } from "../../db/database.ts";
import type { Tables } from "../../db/tables.ts";
import type { StorageKind } from "./package.rules.ts";

export type PackageRow = {
  id: string;
  kept_in: StorageKind;
  piece_bytes: number;
  type: string;
  name: string;
  size: number;
  sha256: string;
};

export async function beginPackage(db: Reader, row: Insertable<Tables["firmware_package"]>): Promise<void> {
  await db.insertInto("firmware_package").values(row).execute();
}

export async function touchPackage(db: Reader, id: string, at: Date): Promise<void> {
  await db.updateTable("firmware_package").set({ touched_at: at }).where("id", "=", id).execute();
}

export async function deletePackageRow(db: Reader, id: string): Promise<void> {
  await db.deleteFrom("firmware_package").where("id", "=", id).execute();
}

export async function findPackage(db: Reader, firmwareId: string): Promise<PackageRow | null> {
  const { rows } = await sql<PackageRow>`
    select p.id, p.kept_in, p.piece_bytes, f.type, f.name, f.size, f.sha256
    from firmware f join firmware_package p on p.id = f.package_id where f.id = ${firmwareId}`.execute(db);
  return rows[0] ?? null;
}

export async function findOrphanedPackages(db: Reader, before: Date): Promise<{ id: string; kept_in: StorageKind }[]> {
  return db
    .selectFrom("firmware_package as p")
    .select(["p.id", "p.kept_in"])
    .where("p.touched_at", "<", before)
    .where((e) => e.not(e.exists(e.selectFrom("firmware as f").select("f.id").whereRef("f.package_id", "=", "p.id"))))
    .limit(1000)
    .execute();
}

/** Detaches the packages of firmware that was deleted before this time, so that they become orphans. */
export async function detachDeletedFirmware(db: Reader, before: Date): Promise<void> {
  await db
    .updateTable("firmware")
    .set({ package_id: null })
    .where("is_deleted", "=", true)
    .where("package_id", "is not", null)
    .where("updated_at", "<", before)
    .execute();
}
