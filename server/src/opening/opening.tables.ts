// Kysely types of the tables that keep stored sums up to date with opening hours; migration 0041 documents them.
declare module "../db/tables.ts" {
  interface Tables {
    open_sum_work: { location_id: string };
    holiday_data: { version: string };
  }
}
export {};
