// Tests which hosts have the same registrable domain, as browsers determine it for cookies.
import { expect, test } from "vitest";
import { isSameSite, findSiteWarnings } from "./site.ts";

test.each([
  ["console.example.com", "devices.example.com", true],
  ["example.com", "devices.example.com", true],
  ["console.example.com", "example.com", true],
  ["CONSOLE.example.com", "devices.EXAMPLE.com", true],
  ["console.example.com:8443", "devices.example.com:9443", true],
  ["console.example.com.", "devices.example.com", true],
  ["a_b.example.com", "-devices.example.com", true],
  ["console.example.co.uk", "devices.example.co.uk", true],
  ["console.shop.github.io", "devices.shop.github.io", true],
  ["shop.xn--p1ai", "devices.shop.xn--p1ai", true],
  ["console.example.internal", "devices.example.internal", true],
  ["console.example.com", "devices.example.net", false],
  ["console.example.com", "devices-example.com", false],
  ["console.co.uk", "devices.co.uk", false],
  ["co.uk", "devices.co.uk", false],
  ["console.github.io", "devices.github.io", false],
  ["github.io", "devices.github.io", false],
  ["localhost", "devices.localhost", false],
  ["localhost", "localhost", false],
  ["console.localhost", "devices.localhost", false],
  ["console", "devices.console", false],
  ["192.0.2.1", "192.0.2.1", false],
  ["192.0.2.1", "devices.example.com", false],
  ["10.0.2.1", "11.0.2.1", false],
  ["[::1]", "devices.localhost", false],
  ["[2001:db8::1]", "[2001:db8::1]", false],
  ["", "", false],
])("T-17 %s and %s share a registrable domain: %s", (host, other, isSame) => {
  expect(isSameSite(host, other)).toBe(isSame);
  expect(isSameSite(other, host)).toBe(isSame);
});

test("T-17 the operator is warned of each VPN server whose device pages are on the console's domain", () => {
  const server = (id: string, baseUrl: string) => ({
    id,
    name: id,
    baseUrl,
    management: { kind: "simulated" as const, host: "127.0.0.1", port: 1 },
  });
  const warnings = findSiteWarnings({
    publicUrl: "https://console.example.com",
    deviceRoot: { scheme: null, name: "devices.example.net", port: null },
    vpnServers: [server("near", "vpn.example.com:8443"), server("own", "https://vpn.example.org")],
  });
  expect(warnings).toEqual([
    expect.stringMatching(/^VPN_SERVERS: the base address of near \(vpn\.example\.com:8443\)/),
  ]);
});
