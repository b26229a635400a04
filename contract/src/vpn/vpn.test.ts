// Tests VPN states, links to device pages and their security, and the list of VPN servers.
import { expect, test } from "vitest";
import { readVpnServers } from "./vpn-servers.ts";
import { vpnEventSchema } from "./vpn-simulated.ts";
import { parseVpnBase, vpnLinkOf, vpnStateOf } from "./vpn-state.ts";

const [up, down] = [{ connected: true }, { connected: false }];

test.each([
  ["nothing known", null, false, "NOT_CONNECTED"],
  ["neither asked nor any status", { connect: false, vpnStatus: null }, false, "NOT_CONNECTED"],
  ["asked, no status yet", { connect: true, vpnStatus: null }, false, "PENDING"],
  ["asked and not there yet", { connect: true, vpnStatus: down }, false, "PENDING"],
  ["there and not asked", { connect: false, vpnStatus: up }, false, "PENDING"],
  ["asked and there", { connect: true, vpnStatus: up }, false, "CONNECTED"],
  ["it was there once", { connect: false, vpnStatus: down }, false, "SLEEPING"],
  ["the call failed, nothing known", null, true, "ERROR"],
  ["the call failed, whatever is known", { connect: true, vpnStatus: up }, true, "ERROR"],
] as const)("VP-01 %s", (_case, vpn, hasCallFailed, state) => {
  expect(vpnStateOf(vpn, hasCallFailed)).toBe(state);
});

const linkOf = (serverBaseUrl: string | null, vpnSensorID: string, scheme: "http:" | "https:" = "https:") =>
  vpnLinkOf({ vpnStatus: { ...status, serverBaseUrl, vpnSensorID } }, scheme);
const status = {
  connected: true,
  connectedSince: null,
  disconnectedSince: null,
  serverID: "eu",
  serverName: "Europe",
  publicAddress: null,
  vpnAddress: null,
};

test.each([
  ["vpn.example.com", "001ec0123456", "https://hmi-001ec0123456.vpn.example.com/"],
  ["vpn.localhost:9301", "001EC0123456", "https://hmi-001ec0123456.vpn.localhost:9301/"],
  ["http://VPN.example.com:80", "001ec0123456", "http://hmi-001ec0123456.vpn.example.com:80/"],
  ["https://vpn.example.com/", "a", "https://hmi-a.vpn.example.com/"],
])("VP-01 the link over %s", (base, id, link) => {
  expect(linkOf(base, id)).toBe(link);
});

test("VP-01 a base without a scheme takes that of the page", () => {
  expect(linkOf("vpn.localhost:9301", "001ec0123456", "http:")).toBe("http://hmi-001ec0123456.vpn.localhost:9301/");
  expect(vpnLinkOf(null, "http:")).toBeNull();
  expect(vpnLinkOf({ vpnStatus: null }, "http:")).toBeNull();
});

const badBases = [
  "",
  "/",
  "vpn.example.com/",
  "vpn.example.com/path",
  "https://vpn.example.com/path",
  "https://vpn.example.com?x",
  "https://vpn.example.com#x",
  "https://user@vpn.example.com",
  "user:pw@vpn.example.com",
  "javascript:alert(1)",
  "ftp://vpn.example.com",
  "//vpn.example.com",
  "10.8.0.1",
  "10.8.0.1:80",
  "vpn.0x7f",
  "[::1]:80",
  "vpn.example.com:0",
  "vpn.example.com:65536",
  "vpn.example.com:123456",
  "vpn..example.com",
  ".example.com",
  "example.com.",
  "-vpn.example.com",
  "vpn_1.example.com",
  "vpn.example.com\n",
  "vpn.example.com\\@evil.example",
  "ｖpn.example.com",
  `${"a".repeat(64)}.example.com`,
  `${"a.".repeat(200)}com`,
];
test.each(badBases)("T-17 %j is no base of a link", (base) => {
  expect(parseVpnBase(base)).toBeNull();
  expect(linkOf(base, "001ec0123456")).toBeNull();
});

test.each(["", "a.b", "a/b", "x@y", "a-", "é", "a b", "a:1", "x".repeat(64), "a\u0000"])(
  "T-17 %j is no part of a host name",
  (id) => {
    expect(linkOf("vpn.example.com", id)).toBeNull();
  },
);

test("T-17 a name that would become too long for DNS is no link", () => {
  const base = `${"a".repeat(60)}.`.repeat(4).slice(0, -1);
  expect(parseVpnBase(base)).not.toBeNull();
  expect(linkOf(base, "001ec0123456")).toBeNull();
});

const one = { id: "eu", name: "Europe", management: "tcp://10.0.0.4:7505", baseUrl: "vpn.example.com" };
const read = (...servers: unknown[]) => readVpnServers(JSON.stringify(servers));

test("VPN servers are read with where they are managed", () => {
  const list = read(
    one,
    { ...one, id: "us", management: "unix:/run/openvpn/us.sock", baseUrl: "https://us.example.com:8443" },
    { ...one, id: "demo", management: "simulated://[::1]:9300", baseUrl: "vpn.localhost:9301" },
  );
  expect(list.map(({ management }) => management)).toEqual([
    { kind: "openvpn", host: "10.0.0.4", port: 7505 },
    { kind: "openvpn", path: "/run/openvpn/us.sock" },
    { kind: "simulated", host: "::1", port: 9300 },
  ]);
  expect(readVpnServers("[]")).toEqual([]);
});

test.each([
  ["no JSON", "[{", "it is not valid JSON"],
  ["no list", JSON.stringify(one), "it must be a list"],
  ["no object", "[7]", "0: every server is {id, name, management, baseUrl}"],
  ["a lacking field", JSON.stringify([{ ...one, name: undefined }]), "0.name: "],
  ["an unknown field", JSON.stringify([{ ...one, password: "x" }]), "0: "],
  ["one id twice", JSON.stringify([one, one]), "every id must be unique"],
  ["a strange id", JSON.stringify([{ ...one, id: "a b" }]), "0.id: an id has 1 to 64 letters"],
  ["markup in a name", JSON.stringify([{ ...one, name: "<b>" }]), "0.name: a name has"],
  ["a line break in a name", JSON.stringify([{ ...one, name: "a\nb" }]), "0.name: a name has"],
  ["a relative path", JSON.stringify([{ ...one, management: "unix:run/x" }]), "0.management: should be unix:/path"],
  ["a path that is too long", JSON.stringify([{ ...one, management: `unix:/${"x".repeat(200)}` }]), "0.management: "],
  ["no port", JSON.stringify([{ ...one, management: "tcp://vpn" }]), "0.management: "],
  ["port 0", JSON.stringify([{ ...one, management: "tcp://vpn:0" }]), "0.management: "],
  ["another protocol", JSON.stringify([{ ...one, management: "http://vpn:80" }]), "0.management: "],
  ["a user", JSON.stringify([{ ...one, management: "tcp://u@vpn:80" }]), "0.management: "],
  ["an address as base", JSON.stringify([{ ...one, baseUrl: "10.0.0.4" }]), "0.baseUrl: should be host[:port]"],
  ["seventeen", JSON.stringify(Array.from({ length: 17 }, (_, n) => ({ ...one, id: `n${n}` }))), "at most 16 servers"],
])("VPN servers with %s are refused with a sentence", (_case, text, sentence) => {
  expect(() => readVpnServers(text)).toThrow(sentence);
});

test("what a simulated VPN server says is bounded", () => {
  const list = (n: number) => ({
    event: "list",
    clients: Array.from({ length: n }, (_, id) => ({ id, name: "a", publicAddress: "", vpnAddress: "", since: 0 })),
  });
  expect(vpnEventSchema.safeParse(list(3)).success).toBe(true);
  expect(vpnEventSchema.safeParse(list(10_001)).success).toBe(false);
  expect(vpnEventSchema.safeParse({ event: "connecting", id: 1, name: "x".repeat(65) }).success).toBe(false);
  expect(vpnEventSchema.safeParse({ event: "connecting", id: -1, name: "x" }).success).toBe(false);
});
