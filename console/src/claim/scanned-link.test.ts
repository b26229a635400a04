// Tests which texts of QR codes are accepted as registration links (CL-01).
import { expect, test } from "vitest";
import { toCurrentUrl } from "./label-url.ts";
import { codesInLink, codesInQuery } from "./scanned-link.ts";

const page = { protocol: "https:", host: "console.example.com" };
const domains = ["claim.example.org", "Labels.Example.NET:8443"];

test.each([
  ["https://console.example.com/sensor/register?code=K7MPQ2XA", ["K7MPQ2XA"]],
  ["https://console.example.com/sensor/register?mode=scan&c=K7MPQ2XA", ["K7MPQ2XA"]],
  ["https://console.example.com/#/sensor/register?code=K7MPQ2XA", ["K7MPQ2XA"]],
  ["https://console.example.com/#/sensor/register?c=K7MPQ2XA", ["K7MPQ2XA"]],
  ["https://console.example.com/sensor/register?c=AAAA2222&code=BBBB2222&c=AAAA2222", ["AAAA2222", "BBBB2222"]],
  ["https://claim.example.org/?c=K7MPQ2XA", ["K7MPQ2XA"]],
  ["https://claim.example.org/any/path/at/all?x=1&code=K7MPQ2XA", ["K7MPQ2XA"]],
  ["https://claim.example.org/#/sensor/register?code=K7MPQ2XA", ["K7MPQ2XA"]],
  ["https://labels.example.net:8443/q?c=K7MPQ2XA", ["K7MPQ2XA"]],
  [" HTTPS://CONSOLE.EXAMPLE.COM/sensor/register?code=K7MPQ2XA\n", ["K7MPQ2XA"]],
])("CL-01 %s is a registration link", (text, codes) => {
  expect(codesInLink(text, page, domains)).toEqual(codes);
});

test.each([
  "K7MPQ2XA",
  "",
  "http://console.example.com/sensor/register?code=K7MPQ2XA",
  "https://console.example.com:444/sensor/register?code=K7MPQ2XA",
  "https://console.example.com.evil.example/sensor/register?code=K7MPQ2XA",
  "https://evil.example/sensor/register?code=K7MPQ2XA",
  "https://console.example.com@evil.example/sensor/register?code=K7MPQ2XA",
  "https://someone@console.example.com/sensor/register?code=K7MPQ2XA",
  "https://console.example.com/sensor?code=K7MPQ2XA",
  "https://console.example.com/sensor/registered?code=K7MPQ2XA",
  "https://console.example.com/account#/sensor/register?code=K7MPQ2XA",
  "https://console.example.com/sensor/register",
  "https://console.example.com/sensor/register?code=",
  "https://console.example.com/sensor/register?codes=K7MPQ2XA",
  "http://claim.example.org/?c=K7MPQ2XA",
  "https://sub.claim.example.org/?c=K7MPQ2XA",
  "https://labels.example.net/q?c=K7MPQ2XA",
  "javascript:alert(1)//sensor/register?code=K7MPQ2XA",
])("CL-01 %s is an invalid QR code", (text) => {
  expect(codesInLink(text, page, domains)).toBeNull();
});

test("CL-01 over http only the console's own links hold", () => {
  const local = { protocol: "http:", host: "localhost:8080" };
  expect(codesInLink("http://localhost:8080/sensor/register?code=K7MPQ2XA", local, domains)).toEqual(["K7MPQ2XA"]);
  expect(codesInLink("https://localhost:8080/sensor/register?code=K7MPQ2XA", local, domains)).toBeNull();
  expect(codesInLink("https://claim.example.org/?code=K7MPQ2XA", local, domains)).toEqual(["K7MPQ2XA"]);
});

test("CL-03 codes stand under both names, in the order given, each once", () => {
  expect(codesInQuery("?c=B&code=A&x=C&c=&code=B")).toEqual(["B", "A"]);
});

test.each([
  ["https://a.example/#/sensor/register?c=AAAA2222", "/sensor/register?code=AAAA2222"],
  ["https://a.example/sensor/register?mode=type&c=A&code=B&c=C", "/sensor/register?mode=type&code=A&code=B&code=C"],
  ["https://a.example/sensor/register/checkout?c=A", "/sensor/register/checkout?code=A"],
  ["https://a.example/sensor/register?code=A", null],
  ["https://a.example/sensor?c=A", null],
  ["https://a.example/#/sensor", null],
  ["https://a.example/#//evil.example/sensor/register?c=A", null],
])("CL-03 an address from an older label, %s, is shown as %s", (from, to) => {
  expect(toCurrentUrl(new URL(from))).toBe(to);
});
