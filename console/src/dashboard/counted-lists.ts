// Numbers on the dashboard, and the URLs of the lists behind them.
import { formatSearch } from "../address/address.ts";
import { paths } from "../address/paths.ts";

export type Buckets<T> = readonly { _id: T; count: number }[];

/** The server omits buckets that would be zero. */
export const countOf = <T>(buckets: Buckets<T>, id: T) => buckets.find((bucket) => bucket._id === id)?.count ?? 0;

export const sensorListUrl = (filter: Record<string, string | readonly string[]>) =>
  paths.sensors + formatSearch(filter);
export const locationListUrl = (filter: Record<string, string>) => paths.locations + formatSearch(filter);
