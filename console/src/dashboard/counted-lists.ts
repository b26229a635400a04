// Numbers on the dashboard, and the URLs of the lists behind them.
import { formatSearch } from "../address/address.ts";
import { paths } from "../address/paths.ts";

export type Bucket<T> = readonly { _id: T; count: number }[];

/** The server omits buckets that would be zero. */
export const countOf = <T>(buckets: Bucket<T>, id: T) => buckets.find((bucket) => bucket._id === id)?.count ?? 0;

export const sensorsBy = (filter: Record<string, string | readonly string[]>) => paths.sensors + formatSearch(filter);
export const locationsBy = (filter: Record<string, string>) => paths.locations + formatSearch(filter);
