// Kysely types of the tables of tunnels (migration 0015).
import type { Timestamp } from "../db/columns.ts";

declare module "../db/tables.ts" {
  interface Tables {
    tunnel_host: { id: string; seen_at: Timestamp; url: string | null };
    tunnel: { sensor_num: number; id: string; host_id: string | null; opened_at: Timestamp };
  }
}
