// Parses the list of VPN servers in the environment variable VPN_SERVERS.
import { z } from "zod";
import { parseVpnBase } from "./vpn-state.ts";

const most = 16;
/** Maximum length of a Unix socket path. */
const maxPath = 107;

/** Address and protocol of the server's management interface. */
export type VpnManagement =
  | { kind: "openvpn"; path: string }
  | { kind: "openvpn" | "simulated"; host: string; port: number };

function parseManagement(text: string): VpnManagement | null {
  const [, path] = /^unix:(\/[^\0\n\r]+)$/.exec(text) ?? [];
  if (path !== undefined) return path.length <= maxPath ? { kind: "openvpn", path } : null;
  const [, scheme, name = "", digits] =
    /^(tcp|simulated):\/\/(\[[0-9a-f:.]+\]|[a-z0-9.-]+):([0-9]{1,5})$/i.exec(text) ?? [];
  const port = Number(digits);
  if (scheme === undefined || name.length > 253 || port < 1 || port > 65_535) return null;
  const kind = scheme.toLowerCase() === "tcp" ? "openvpn" : "simulated";
  return { kind, host: name.replace(/^\[|\]$/g, ""), port };
}

const server = z.strictObject(
  {
    id: z.string().regex(/^[A-Za-z0-9._-]{1,64}$/, "an id has 1 to 64 letters, digits, dots, hyphens or underscores"),
    name: z.string().regex(/^[^\p{C}<>[\]{}]{1,100}$/u, "a name has 1 to 100 characters, none of them < > [ ] { }"),
    management: z.string().transform((text, context) => {
      const management = parseManagement(text);
      if (management !== null) return management;
      context.addIssue({ code: "custom", message: "should be unix:/path, tcp://host:port or simulated://host:port" });
      return z.NEVER;
    }),
    baseUrl: z
      .string()
      .refine(
        (text) => parseVpnBase(text) !== null,
        "should be host[:port], or an origin like https://vpn.example.com; an IP address can't be used",
      ),
  },
  { error: "every server is {id, name, management, baseUrl}" },
);
export type VpnServerConfig = z.output<typeof server>;

const servers = z
  .array(server, { error: "it must be a list" })
  .max(most, `at most ${most} servers`)
  .refine((list) => new Set(list.map(({ id }) => id)).size === list.length, "every id must be unique");

/**
 * Parses the JSON list of servers. Throws an Error with a message that continues a sentence beginning with the variable's name.
 */
export function readVpnServers(text: string): VpnServerConfig[] {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new Error("it is not valid JSON");
  }
  const parsed = servers.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = issue?.path.map(String).join(".") ?? "";
  throw new Error(`${place === "" ? "" : `${place}: `}${issue?.message ?? "invalid"}`);
}
