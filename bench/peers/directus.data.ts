// Copies the data of the lists to a database for the peer on the same server, with the displayed columns and equivalent indexes.
import { randomUUID } from "node:crypto";
import type pg from "pg";
import { withDatabase } from "../database.ts";

const database = "peer";
const copier = "peer_copy";

const tables = {
  account: `id uuid primary key, name text not null, parent_id uuid references account (id), path text collate "C" not null unique,
    is_deleted boolean not null, last_seen_at timestamptz`,
  location: `id uuid primary key, owner_id uuid not null references account (id), owner_path text collate "C" not null,
    name text not null, timezone text, is_deleted boolean not null`,
  firmware: `id uuid primary key, owner_id uuid not null references account (id), owner_path text collate "C" not null,
    type text not null, name text not null, is_deleted boolean not null`,
  sensor: `id text collate "C" primary key, owner_id uuid not null references account (id), owner_path text collate "C" not null,
    type text not null, location_id uuid references location (id), firmware_id uuid references firmware (id),
    firmware_running_id uuid references firmware (id), running_version text, info jsonb, groups jsonb not null,
    claimable boolean not null, claiming_code text unique, license_monitoring boolean not null, monitoring_config jsonb,
    con_at timestamptz, discon_at timestamptz, last_contact_at timestamptz, is_connected boolean not null,
    not_responding boolean not null, psconnect jsonb, vpn jsonb, update_task jsonb, install_state jsonb,
    is_deleted boolean not null, version integer not null, created_at timestamptz not null, updated_at timestamptz not null`,
} as const;

/** Indexes like the product's, but without deleted rows, because these are not copied. This favors the peer. */
const indexes = `
  create index sensor_by_path on sensor (owner_path, id);
  create index sensor_by_location on sensor (location_id);
  create index sensor_by_type on sensor (type, id);
  create index sensor_by_running on sensor (firmware_running_id, id);
  create index sensor_by_owner on sensor (owner_id, id);
  create index sensor_connected on sensor (id) where is_connected;
  create index location_by_path on location (owner_path, id);
  create index location_by_owner on location (owner_id);
  create index firmware_by_path on firmware (owner_path, id);`;

/** Copies accounts, locations, firmware and sensors to a new database on the server of `databaseUrl`. Returns its URL. */
export async function copyForPeer(databaseUrl: string): Promise<string> {
  const superuser = new URL(databaseUrl);
  // The server connects to itself as a different system user, so it needs a temporary password.
  const secret = randomUUID();
  await withDatabase(superuser.href, async (ours) => {
    await ours.query(`create database ${database}`);
    await ours.query(`create role ${copier} superuser login password '${secret}'`);
  });
  superuser.pathname = `/${database}`;
  await withDatabase(superuser.href, async (theirs) => {
    const socket = superuser.searchParams.get("host") ?? "";
    await theirs.query(`create extension postgres_fdw;
      create server ours foreign data wrapper postgres_fdw
        options (dbname 'psp', host '${socket}', port '${superuser.port}', fetch_size '10000');
      create user mapping for postgres server ours options (user '${copier}', password '${secret}');
      create schema ours;
      import foreign schema public limit to (${Object.keys(tables).join(", ")}) from server ours into ours`);
    for (const [table, columns] of Object.entries(tables)) await copyTable(theirs, table, columns);
    await theirs.query(`drop extension postgres_fdw cascade; drop schema ours; drop role ${copier}`);
    await theirs.query(indexes);
    await theirs.query("vacuum analyze");
  });
  return superuser.href;
}

async function copyTable(theirs: pg.Client, table: string, columns: string): Promise<void> {
  await theirs.query(`create table ${table} (${columns}) ${table === "sensor" ? "with (fillfactor = 80)" : ""}`);
  const { rows } = await theirs.query<{ name: string }>(
    "select column_name as name from information_schema.columns where table_schema = 'public' and table_name = $1 order by ordinal_position",
    [table],
  );
  const names = rows.map((row) => row.name);
  const given = names.map((name) => (name === "groups" ? "to_jsonb(groups)" : name)).join(", ");
  const order = table === "account" ? "path" : "id";
  await theirs.query(`insert into ${table} (${names.join(", ")}) select ${given} from ours.${table} order by ${order}`);
}
