// Tests which input the forms of the login screens accept, and their messages for invalid input.
import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { z } from "zod";
import { emailPattern } from "../account/email.ts";
import { forgotForm, loginForm } from "./login-form.ts";

const invalid = "Must be valid e-mail";
const messagesOf = (form: typeof loginForm | typeof forgotForm, values: unknown) =>
  form.safeParse(values).error?.issues.map(({ path, message }) => [...path, message]) ?? [];

describe("AU-02 the login form", () => {
  test.each([
    ["admin@example.com", "long enough", "admin@example.com"],
    [" admin@example.com ", "x", "admin@example.com"],
    ["o'neill+1@sub.example.com", " ", "o'neill+1@sub.example.com"],
    [`${"a".repeat(250)}@example.com`, "x", `${"a".repeat(250)}@example.com`],
  ])("accepts %j with password %j", (email, password, read) => {
    expect(loginForm.safeParse({ email, password })).toEqual({ success: true, data: { email: read, password } });
  });

  test.each([
    ["", "E-mail is required"],
    ["  ", "E-mail is required"],
    ["admin@example", invalid],
    ["a..b@example.com", invalid],
    [".a@example.com", invalid],
    ["jos\u0065\u0301@example.com", invalid],
    [`${"a".repeat(2000)}@example.com`, invalid],
    [`e${"\u0301".repeat(40)}@example.com`, "Remove special characters"],
  ])("refuses the address %j: %s", (email, message) => {
    expect(messagesOf(loginForm, { email, password: "x" })).toEqual([["email", message]]);
    expect(messagesOf(loginForm, { email, password: "" })).toEqual([
      ["email", message],
      ["password", "Password is required"],
    ]);
    expect(messagesOf(forgotForm, { email })).toEqual([["email", message]]);
  });

  test("needs a password", () => {
    expect(messagesOf(loginForm, { email: "a@b.example", password: "" })).toEqual([
      ["password", "Password is required"],
    ]);
  });

  const text = fc.oneof(fc.string({ unit: "grapheme" }), fc.emailAddress(), fc.stringMatching(/^[a-b@. '+-]{0,12}$/));
  test.prop([text, fc.string()])("accepts an address exactly if the validator does", (email, password) => {
    const address = email.trim().normalize("NFC");
    const isEmail = z.email().safeParse(address).success;
    const isWhole = isEmail && password !== "";
    expect(loginForm.safeParse({ email, password }).data).toEqual(isWhole ? { email: address, password } : undefined);
    expect(forgotForm.safeParse({ email }).data).toEqual(isEmail ? { email: address } : undefined);
  });

  test("has the validator's pattern of addresses", () => {
    expect(emailPattern.source).toBe(z.regexes.email.source.replaceAll(String.raw`\-`, "-"));
  });
});
