// The tables of tunnels as Kysely sees them (migration 0014).
import type { ColumnType } from "kysely";

type At = ColumnType<Date, Date, Date>;

export type TunnelTables = {
  tunnel_host: { id: string; seen_at: At };
  tunnel: { sensor_num: number; id: string; host_id: string | null; opened_at: At };
};
