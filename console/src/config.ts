// Runtime configuration: the hosting page's object first, values of the build as fallback (SH-09).
import { maxPackageBytes } from "@psp/contract/firmware/package-size.ts";
import { type Operator, readOperator } from "@psp/contract/legal/operator.ts";

export type RuntimeConfig = {
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
  /** Whether this browser was signed in when the page was loaded; null when it was not said (ADR 0022). */
  session: boolean | null;
  /** Of sensors and locations, what the account that is logged in may view at all. */
  views: readonly string[];
  /** The number of the latest change when the page was made (ADR 0073); null when it was not said. */
  since: number | null;
};

declare global {
  // The name that /config.js sets.
  var __CONFIG__: Partial<RuntimeConfig> | undefined;
}

const env = import.meta.env as Record<string, string | undefined>;
const link = (name: string) => env[`VITE_${name}_URL`] ?? null;

const built: RuntimeConfig = {
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
  claimingDomains: [],
  deviceLinkRoot: env["VITE_DEVICE_LINK_ROOT"] ?? "devices.localhost",
  autoLogin: { edit: "user-role-edit", view: "user-role-view" },
  publicUrl: null,
  displayPublicKey: env["VITE_DISPLAY_PUBLIC_KEY"] ?? null,
  firmwareMaxBytes: maxPackageBytes,
  allowedOrigins: [],
  demo: false,
  session: null,
  views: [],
  since: null,
};

/** The hosting page's values win, one by one; what it leaves out comes from the build. */
export function mergeConfig(given: Partial<RuntimeConfig> | undefined): RuntimeConfig {
  const links = { ...built.links };
  for (const [name, url] of Object.entries(given?.links ?? {})) if (url) links[name as keyof typeof links] = url;
  return { ...built, ...given, links, operator: { ...built.operator, ...given?.operator } };
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
