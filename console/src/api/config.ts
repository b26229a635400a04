// Runtime configuration of the hosting page, with build-time defaults (SH-09).
import { maxPackageBytes } from "@psp/contract/firmware/package-size.ts";
import { type Operator, readOperator } from "@psp/contract/legal/operator.ts";

export type RuntimeConfig = {
  /**
   * URL prefix of the API. `dataRoot` is the prefix of the data service and the live sockets. A prefix is an origin, a path, an
   * origin with a path, or empty.
   */
  apiRoot: string;
  dataRoot: string;
  links: Record<"export" | "buildings" | "designer" | "analytics" | "occupancy" | "support" | "notices", string | null>;
  /** Tile server of maps and its attribution, if any. */
  map: { tileUrl: string | null; attribution: string | null };
  /** The operator of this installation, as shown in footer and legal pages. */
  operator: Operator;
  pageSize: number;
  connectionTimeoutHours: number;
  claimingDomains: readonly string[];
  deviceLinkRoot: string;
  /** Device user names for opening device pages. */
  autoLogin: { edit: string; view: string };
  /** Base URL of links that are used outside the browser; null means the page's origin. */
  publicUrl: string | null;
  /** Public key that encrypts display links (base64 of 32 bytes). */
  displayPublicKey: string | null;
  firmwareMaxBytes: number;
  allowedOrigins: readonly string[];
  /** Whether this is a demo installation; its past counts may still be incomplete. */
  demo: boolean;
  /** Whether the browser was signed in when the page was loaded; null if unknown (ADR 0009). */
  session: boolean | null;
  /** Which of the types `sensor` and `measurement` the signed-in account may view. */
  views: readonly string[];
  /** Live channel cursor from when the page was loaded (ADR 0013); null if unknown. */
  since: string | null;
};

declare global {
  // Set by /config.js.
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

function over<T extends object>(under: T, given: Partial<T> | undefined): T {
  return {
    ...under,
    ...Object.fromEntries(
      Object.entries(given ?? {}).filter(([, value]) => value !== null && value !== undefined && value !== ""),
    ),
  };
}

export function mergeConfig(given: Partial<RuntimeConfig> | undefined): RuntimeConfig {
  return {
    ...over(built, given),
    // Counts are served with the API by default.
    dataRoot: given?.dataRoot ?? env["VITE_DATA_ROOT"] ?? given?.apiRoot ?? apiRoot,
    links: over(built.links, given?.links),
    map: over(built.map, given?.map),
    // Merged per key, so that example values don't mix with real ones.
    operator: { ...built.operator, ...given?.operator },
    autoLogin: over(built.autoLogin, given?.autoLogin),
  };
}

export const config = mergeConfig(globalThis.__CONFIG__);

export const operator: Operator = config.operator;

/** mailto address of the support, with the id of a failed request. */
export function supportAddress(requestId: string | null, address = config.links.support): string | null {
  if (address === null || requestId === null) return address;
  const named = address.startsWith("mailto:") ? `subject=Request%20${encodeURIComponent(requestId)}` : null;
  const [rest = "", fragment] = address.split("#", 2);
  const query = named ?? `request=${encodeURIComponent(requestId)}`;
  return `${rest}${rest.includes("?") ? "&" : "?"}${query}${fragment === undefined ? "" : `#${fragment}`}`;
}
