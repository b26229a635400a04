// Runtime configuration: the hosting page's object first, values of the build as fallback (SH-09).
import { maxPackageBytes } from "@psp/contract/firmware/package-size.ts";
import { type Operator, readOperator } from "@psp/contract/legal/operator.ts";

export type RuntimeConfig = {
  /** What stands before the paths of calls, and of the data service and live sockets: an origin, a path, both or nothing. */
  apiRoot: string;
  dataRoot: string;
  links: Record<"export" | "buildings" | "designer" | "analytics" | "occupancy" | "support" | "notices", string | null>;
  /** The tile server of maps, if any, and whom a map names for it. */
  map: { tileUrl: string | null; attribution: string | null };
  /** The company that runs this installation, and whom it employs, as footer and legal pages name them. */
  operator: Operator;
  pageSize: number;
  connectionTimeoutHours: number;
  claimingDomains: readonly string[];
  deviceLinkRoot: string;
  /** Names of the users that sensors' own pages are opened as. */
  autoLogin: { edit: string; view: string };
  /** The only base of links that leave the browser; null where the page's own origin is as good. */
  publicUrl: string | null;
  /** What links of displays are sealed with (base64 of 32 bytes). */
  displayPublicKey: string | null;
  /** The largest firmware package that the server takes. */
  firmwareMaxBytes: number;
  allowedOrigins: readonly string[];
  /** A demo whose past may still be in the making. */
  demo: boolean;
  /** Whether this browser was signed in when the page was loaded; null when it was not said (ADR 0009). */
  session: boolean | null;
  /** Of sensors and locations, what the account that is logged in may view at all. */
  views: readonly string[];
  /** Joins the live channel as of when the page was made (ADR 0013); null when it was not said. */
  since: string | null;
};

declare global {
  // The name that /config.js sets.
  var __CONFIG__: Partial<RuntimeConfig> | undefined;
}

const mebibyte = 1024 * 1024;
const env = import.meta.env as Record<string, string | undefined>;
const link = (name: string) => env[`VITE_${name}_URL`] ?? null;

const list = (name: string) => (env[name] ?? "").split(",").filter((part) => part.trim() !== "");
const apiRoot = env["VITE_API_ROOT"] ?? "";

const built: RuntimeConfig = {
  apiRoot,
  dataRoot: env["VITE_DATA_ROOT"] ?? apiRoot,
  links: {
    export: link("EXPORT"),
    buildings: link("BUILDINGS"),
    designer: link("DESIGNER"),
    analytics: link("ANALYTICS"),
    occupancy: link("OCCUPANCY"),
    support: link("SUPPORT"),
    notices: link("NOTICES") ?? "/notices.txt",
  },
  map: { tileUrl: env["VITE_MAP_TILE_URL"] ?? null, attribution: env["VITE_MAP_ATTRIBUTION"] ?? null },
  operator: readOperator(env, "VITE_"),
  pageSize: Number(env["VITE_PAGE_SIZE"] ?? 50),
  connectionTimeoutHours: Number(env["VITE_CONNECTION_TIMEOUT_HOURS"] ?? 24),
  claimingDomains: list("VITE_CLAIMING_DOMAINS"),
  deviceLinkRoot: env["VITE_DEVICE_LINK_ROOT"] ?? "devices.localhost",
  autoLogin: {
    edit: env["VITE_AUTO_LOGIN_EDIT_USER"] ?? "user-role-edit",
    view: env["VITE_AUTO_LOGIN_VIEW_USER"] ?? "user-role-view",
  },
  publicUrl: env["VITE_PUBLIC_URL"] ?? null,
  displayPublicKey: env["VITE_DISPLAY_PUBLIC_KEY"] ?? null,
  firmwareMaxBytes: Number(env["VITE_FIRMWARE_MAX_MB"] ?? maxPackageBytes / mebibyte) * mebibyte,
  allowedOrigins: list("VITE_ALLOWED_ORIGINS"),
  demo: false,
  session: null,
  views: [],
  since: null,
};

/** What is given wins, key by key; what is missing, null or empty comes from `under`. */
function over<T extends object>(under: T, given: Partial<T> | undefined): T {
  return {
    ...under,
    ...Object.fromEntries(
      Object.entries(given ?? {}).filter(([, value]) => value !== null && value !== undefined && value !== ""),
    ),
  };
}

/** The hosting page's values win, one by one; what it leaves out comes from the build. */
export function mergeConfig(given: Partial<RuntimeConfig> | undefined): RuntimeConfig {
  return {
    ...over(built, given),
    // Counts are where the calls are, unless one of the two says otherwise.
    dataRoot: given?.dataRoot ?? env["VITE_DATA_ROOT"] ?? given?.apiRoot ?? apiRoot,
    links: over(built.links, given?.links),
    map: over(built.map, given?.map),
    // As a whole: no line of an example company stands among those of a real one.
    operator: { ...built.operator, ...given?.operator },
    autoLogin: over(built.autoLogin, given?.autoLogin),
  };
}

export const config = mergeConfig(globalThis.__CONFIG__);

export const operator: Operator = config.operator;

/** The support's address; after a failed call with the number of its request, which the server's log has. */
export function supportAddress(requestId: string | null, address = config.links.support): string | null {
  if (address === null || requestId === null) return address;
  const named = address.startsWith("mailto:") ? `subject=Request%20${encodeURIComponent(requestId)}` : null;
  const [rest = "", fragment] = address.split("#", 2);
  const query = named ?? `request=${encodeURIComponent(requestId)}`;
  return `${rest}${rest.includes("?") ? "&" : "?"}${query}${fragment === undefined ? "" : `#${fragment}`}`;
}
