// The tables as Kysely sees them. Column order and comments live in the migrations.
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import type { ColumnType, Generated } from "kysely";
import type { DatapointTables } from "../datapoint/datapoint.tables.ts";
import type { RolloutTables } from "../rollout/rollout.tables.ts";
import type { TunnelTables } from "../tunnel/tunnel.tables.ts";
import type { DeviceTables } from "./device.tables.ts";

type At = ColumnType<Date, Date | string, Date | string>;
type MaybeAt = ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
type Json<T> = ColumnType<T, string, string>;
type MaybeJson<T> = ColumnType<T | null, string | null | undefined, string | null>;

type Stamped = {
  is_deleted: Generated<boolean>;
  version: Generated<number>;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
};
type Owned = { owner_id: string; owner_path: string };

export type RoleTable = Stamped & Owned & { id: string; name: string; permissions: Json<Permissions> };

export type AccountTable = Stamped & {
  id: string;
  name: string;
  parent_id: string | null;
  ancestor_ids: string[];
  path: string;
  role_id: string | null;
  phone: string | null;
  street: string | null;
  street_number: string | null;
  zip: string | null;
  city: string | null;
  country: string | null;
  supplier: string | null;
  readonly_address: Generated<boolean>;
  last_seen_at: MaybeAt;
  deleted_at: MaybeAt;
  /** Since then nothing tells who it was. */
  purged_at: MaybeAt;
};

export type Legal = {
  firstName: string;
  familyName: string;
  department: string;
  dpaAcceptedAt: string;
  eulaAcceptedAt: string;
  dpaVersion: string;
};

export type CredentialTable = {
  id: string;
  account_id: string;
  email: string;
  password_hash: string | null;
  step: number;
  legal: MaybeJson<Legal>;
  reg_token: Buffer | null;
  verify_token: Buffer | null;
  token_expires_at: MaybeAt;
  /** Null for a sign-up, and for a login that was added complete. */
  invited_at: MaybeAt;
  failed_logins: Generated<number>;
  position: Generated<number>;
  is_deleted: Generated<boolean>;
  deleted_at: MaybeAt;
  created_at: Generated<Date>;
};

export type SessionTable = {
  id: string;
  token_hash: Buffer;
  account_id: string;
  credential_id: string;
  created_at: At;
  last_used_at: At;
  expires_at: At;
  user_agent: string | null;
};

export type LocationTable = Stamped &
  Owned & {
    id: string;
    name: string;
    lat: number | null;
    lng: number | null;
    timezone: string | null;
    address: MaybeJson<Record<string, string | null>>;
    country: string | null;
    tags: Generated<string[]>;
    applications: ColumnType<unknown[], string | undefined, string>;
    monitoring_config: MaybeJson<unknown>;
    license_buildings: Generated<boolean>;
    license_occupancy: Generated<boolean>;
  };

export type FirmwareTable = Stamped &
  Owned & {
    id: string;
    type: string;
    name: string;
    precedence: string;
    children_can_view: Generated<boolean>;
    size: string | null;
    md5: string | null;
    sha256: string | null;
    package_id: string | null;
    signature: string | null;
    seq: number | null;
  };

export type FirmwarePackageTable = {
  id: string;
  kept_in: "postgres" | "s3";
  piece_bytes: number;
  touched_at: ColumnType<Date, Date, Date>;
};
export type FirmwareChunkTable = { package_id: string; n: number; data: Buffer };

export type InitTokenTable = Stamped &
  Owned & { id: string; name: string; firmware_id: string | null; token_hash: Buffer; token_sealed: Buffer };

export type UpdateTask = {
  id: string;
  status: "UpdateInitiatedOnSensor" | "UpdateFailed" | "UpdateCanceled" | null;
  artifactID: string;
  createdAt: string;
  createdByAccount: string;
  statusChangedAt: string | null;
  info: string | null;
};

export type SensorTable = Stamped &
  Owned & {
    id: string;
    num: Generated<number>;
    wire_id: Generated<string>;
    type: string;
    location_id: string | null;
    firmware_id: string | null;
    firmware_running_id: string | null;
    running_version: string | null;
    info: MaybeJson<Record<string, unknown>>;
    groups: Generated<string[]>;
    claimable: Generated<boolean>;
    claiming_code: string | null;
    license_monitoring: Generated<boolean>;
    monitoring_config: MaybeJson<unknown>;
    awaited_since: MaybeAt;
    visible_from: ColumnType<Date | number, Date | string | undefined, Date | string>;
    con_at: MaybeAt;
    discon_at: MaybeAt;
    last_contact_at: MaybeAt;
    is_connected: Generated<boolean>;
    not_responding: Generated<boolean>;
    psconnect: MaybeJson<{ connectionStatus: string; statusChangedAt: string | null }>;
    vpn: MaybeJson<Record<string, unknown>>;
    rest_username: string | null;
    rest_password_sealed: Buffer | null;
    update_task: MaybeJson<UpdateTask>;
    install_state: MaybeJson<{ ok: boolean; state: string }>;
    owner_mark: Generated<string>;
    firmware_mark: ColumnType<string | null, string | undefined, string>;
  };

export type SensorLocationTable = {
  sensor_num: number;
  from_at: ColumnType<Date | number, Date | string, Date | string>;
  to_at: ColumnType<Date | number, Date | string | undefined, Date | string>;
  location_id: string;
  /** Earlier than `from_at` only where it is the first of a sensor: what was counted before belongs to it, too. */
  counts_from: ColumnType<Date | number, Date | string, Date | string>;
};

export type AuditTable = {
  id: string;
  at: At;
  account_id: string | null;
  request_id: string;
  action: string;
  object_type: string;
  object_id: string;
  owner_id: string | null;
  owner_path: string | null;
  before: MaybeJson<unknown>;
  after: MaybeJson<unknown>;
};

export type SensorBatchTable = {
  id: string;
  account_id: string;
  request_id: string;
  key: string | null;
  kind: string;
  changes: MaybeJson<Record<string, unknown>>;
  asked_mark: string;
  ids: string[];
  total: number;
  done: Generated<number>;
  success: Generated<number>;
  started_at: At;
  touched_at: At;
  finished_at: MaybeAt;
  canceled_at: MaybeAt;
};

export type MailTable = {
  id: string;
  recipient: string;
  subject: string;
  text_body: string;
  html_body: string;
  queued_at: At;
  not_before: At;
  attempts: Generated<number>;
  last_error: string | null;
  sent_at: MaybeAt;
  /** One of many: the others are sent first. */
  bulk: Generated<boolean>;
};

export type Tables = DatapointTables &
  DeviceTables &
  RolloutTables &
  TunnelTables & {
    role: RoleTable;
    account: AccountTable;
    credential: CredentialTable;
    session: SessionTable;
    known_browser: { credential_id: string; browser_hash: Buffer; last_used_at: At };
    location: LocationTable;
    firmware: FirmwareTable;
    firmware_package: FirmwarePackageTable;
    firmware_chunk: FirmwareChunkTable;
    init_token: InitTokenTable;
    sensor: SensorTable;
    sensor_location: SensorLocationTable;
    sensor_batch: SensorBatchTable;
    sensor_batch_fail: { batch_id: string; sensor_id: string; code: number };
    role_gift: { role_id: string; giver_id: string; parts: string[] };
    owned_count: { kind: string; owner_path: string; n: string };
    audit: AuditTable;
    idempotency: {
      account_id: string;
      key: string;
      request_hash: Buffer;
      reply: MaybeJson<unknown>;
      created_at: At;
    };
    mail_outbox: MailTable;
    ticket: { hash: Buffer; session_id: string; expires_at: At };
    registration_notice: { credential_id: string; mailed_at: Date[] };
    password_reset: { credential_id: string; binding: Buffer | null; mailed_at: Date[] };
    setting: { name: string; value: Json<unknown> };
  };
