// Tests that "Back to login page" leads only to allowed applications or to our own login (T-09).
import { expect, test } from "vitest";
import { ownLoginUrl, findReturnOrigin } from "./return-origin.ts";

const allowed = ["https://export.example.com", "https://buildings.example.com:8443", "javascript:alert(1)"];
const encode = (value: unknown) =>
  btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(value))))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
const tokenWith = (payload: unknown) => `${encode({ alg: "HS256" })}.${encode(payload)}.c2lnbmF0dXJl`;

test("AU-06 an allow-listed origin of the query or of the token is known", () => {
  expect(findReturnOrigin({ origin: "https://export.example.com" }, allowed)).toBe("https://export.example.com");
  const token = tokenWith({ sub: "ü?>", origin: "https://buildings.example.com:8443" });
  expect(findReturnOrigin({ token }, allowed)).toBe("https://buildings.example.com:8443");
  expect(findReturnOrigin({ token, origin: "https://export.example.com" }, allowed)).toBe("https://export.example.com");
  expect(findReturnOrigin({ token, origin: "https://evil.example.net" }, allowed)).toBe(
    "https://buildings.example.com:8443",
  );
});

const foreign: unknown[] = [
  "https://evil.example.net",
  "https://export.example.com.evil.example.net",
  "https://export.example.com@evil.example.net",
  "https://export.example.com/",
  "https://export.example.com/\\evil.example.net",
  "https://export.example.com:444",
  "https://EXPORT.example.com",
  "http://export.example.com",
  " https://export.example.com",
  "https://export.example.com\n",
  "//export.example.com",
  "export.example.com",
  "javascript:alert(1)",
  "data:text/html,x",
  "null",
  "",
];

test.each(foreign)("AU-06 T-09 %j is no way out, neither by the query nor by the token", (origin) => {
  expect(findReturnOrigin({ origin: String(origin) }, allowed)).toBeNull();
  expect(findReturnOrigin({ token: tokenWith({ origin }) }, allowed)).toBeNull();
});

test("AU-06 what can't be read leads nowhere", () => {
  const origin = "https://export.example.com";
  const tokens = ["", "x", "a.b.c", "..", `.${btoa("null")}.`, `.${btoa("[]")}.`, tokenWith(null), tokenWith({})];
  for (const token of tokens) expect(findReturnOrigin({ token }, allowed), token).toBeNull();
  expect(findReturnOrigin({ token: tokenWith({ origin: [origin] }) }, allowed)).toBeNull();
  expect(findReturnOrigin({ origin: [origin, origin] }, allowed)).toBeNull();
  expect(findReturnOrigin({ token: [tokenWith({ origin })] }, allowed)).toBeNull();
  expect(findReturnOrigin({ origin }, [])).toBeNull();
});

test("AU-06 our own login keeps the query, but neither token nor origin", () => {
  expect(ownLoginUrl({ token: "t", origin: "https://evil.example.net", from: "/sensor" })).toBe("/login?from=/sensor");
  expect(ownLoginUrl({ token: "t" })).toBe("/login");
});
