// Tests the URLs of device pages for different configured roots.
import { expect, test } from "vitest";
import { deviceLink } from "./device-link.ts";
import { parseDeviceRoot } from "./device-root.ts";

const id = "00:16:28:FA:8E:68";
const key = "001628fa8e68";

test.each<[root: string, console: string, link: string]>([
  ["devices.example.com", "https://console.example.org", `https://${key}.devices.example.com`],
  ["devices.example.com", "https://console.example.org:8443", `https://${key}.devices.example.com:8443`],
  ["devices.localhost", "http://localhost:8080", `http://${key}.devices.localhost:8080`],
  ["devices.example.com:9000", "https://console.example.org", `https://${key}.devices.example.com:9000`],
  ["https://devices.example.com", "http://console.example.org:8080", `https://${key}.devices.example.com`],
  ["http://devices.example.com", "https://console.example.org", `http://${key}.devices.example.com`],
  ["HTTPS://Devices.example.com:444", "http://console.example.org", `https://${key}.devices.example.com:444`],
])("PC-01 with the root %s a console at %s links to %s", (root, address, link) => {
  const [, protocol = "", port = ""] = /^(https?:)\/\/[^:]+:?(\d*)$/.exec(address) ?? [];
  expect(deviceLink({ protocol, port, root }, id)).toBe(link);
});

test.each([
  "ftp://devices.example.com",
  "https://devices.example.com/",
  "https://",
  "https://user@devices.example.com",
  "//devices.example.com",
  "https://10.0.0.1",
  "devices.example.com:0",
])("%s is no root", (text) => {
  expect(parseDeviceRoot(text)).toBeNull();
});
