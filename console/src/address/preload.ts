// Preloads the API responses of the first page while the rest of the console loads (ADR 0027).
// This small chunk runs first. On slow connections the responses arrive after the chunks, but nothing needs them earlier.
import { readListState } from "./kept-lists.ts";
import type { RuntimeConfig } from "../api/config.ts";

type PreloadConfig = Partial<Pick<RuntimeConfig, "apiRoot" | "connectionTimeoutHours" | "pageSize" | "views">>;
/** The required permission, and the URL exactly as the page requests it. */
type PreloadRequest = readonly [
  of: "sensor" | "measurement" | "any",
  address: (config: PreloadConfig, id: string, order: string) => string,
];

const stats: PreloadRequest = [
  "sensor",
  (config) => `/api/v2/sensor/stats?connectionTimeout=${config.connectionTimeoutHours}`,
];
const setUp: PreloadRequest = ["any", () => "/api/auth/set-up"];
const page = ({ pageSize }: PreloadConfig) => `limit=${pageSize}&includeTotals=true`;

/** Frequent first pages. The first capture group of `path` is the id of the object. */
const pages: readonly (readonly [path: RegExp, asked: readonly PreloadRequest[]])[] = [
  [
    /^\/dashboard\/?$/,
    [
      stats,
      ["measurement", () => "/api/v2/counts/total?range=today"],
      ["measurement", () => "/api/v2/counts/total?range=yesterday"],
      setUp,
    ],
  ],
  [
    /^\/sensor\/?$/,
    [stats, ["sensor", (config, _, order) => `/api/v2/sensor?${page(config)}${order || "&sortBy=_id"}`], setUp],
  ],
  [
    /^\/location\/?$/,
    [
      stats,
      ["measurement", (config, _, order) => `/api/v2/measurement?${page(config)}${order || "&sortBy=name"}`],
      setUp,
    ],
  ],
  [
    /^\/location\/([^/]+)\/counts$/,
    [
      stats,
      ["measurement", (_, id) => `/api/measurement/${id}`],
      ["measurement", (_, id) => `/api/v2/counts?filter=meas%3A${id}&range=today&open=true`],
      ["sensor", (_, id) => `/api/v2/sensor?measID=${id}&monitored=true&limit=1&includeTotals=true`],
    ],
  ],
];

/** URLs that the page at `path` requests first. With a query string, only the session user is preloaded. */
export function listPreloadUrls(
  path: string,
  search: string,
  config: PreloadConfig,
  kept = readListState(path, {}),
): string[] {
  const found = pages.map(([form, asked]) => ({ at: form.exec(path), asked })).find(({ at }) => at !== null);
  const [, id = ""] = found?.at ?? [];
  const asked = (search === "" && found?.asked) || [];
  const viewed = asked.filter(([of]) => of === "any" || config.views?.includes(of));
  const descending = [kept["sortDesc"] ?? []].flat();
  const order = [kept["sortBy"] ?? []]
    .flat()
    .map((column, n) => `&sortBy=${descending[n] === "true" ? "-" : ""}${encodeURIComponent(column)}`);
  const root = config.apiRoot ?? (import.meta.env["VITE_API_ROOT"] as string | undefined) ?? "";
  const addresses = viewed.map(([, address]) => address(config, id, order.join("")));
  return ["/api/auth/user", ...addresses].map((address) => root + address);
}

const config = globalThis.__CONFIG__;
if (config?.session === true)
  for (const href of listPreloadUrls(location.pathname, location.search, config))
    document.head.append(
      Object.assign(document.createElement("link"), {
        rel: "preload",
        as: "fetch",
        crossOrigin: "use-credentials",
        href,
      }),
    );
