// Kysely types of the tables of running gateways and of connections (migration 0058).
import type { Nullable, Timestamp } from "../../db/columns.ts";

declare module "../../db/tables.ts" {
  interface Tables {
    gateway: { id: string; is_external: boolean; alive_until: Timestamp };
    device_connection: {
      sensor_num: number;
      number: number;
      gateway_id: Nullable<string>;
      former_gateway_id: Nullable<string>;
    };
  }
}
