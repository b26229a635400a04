// The login form's own check says what its schema says.
import { fc, test } from "@fast-check/vitest";
import { expect } from "vitest";
import { z } from "zod";
import { emailPattern } from "../account/email.ts";
import { loginFormSchema } from "./auth.ts";
import { loginForm } from "./login-form.ts";

const said = (form: Pick<typeof loginForm, "safeParse"> | typeof loginFormSchema, values: unknown) => {
  const { success, data, error } = form.safeParse(values) as ReturnType<(typeof loginFormSchema)["safeParse"]>;
  return { success, data, issues: error?.issues.map(({ path, message }) => ({ path, message })) };
};

test.each([
  ["", ""],
  ["  ", "x"],
  ["admin@example.com", "long enough"],
  [" admin@example.com ", "x"],
  ["admin@example", "x"],
  ["a..b@example.com", "x"],
  [".a@example.com", "x"],
  ["o'neill+1@sub.example.com", "x"],
  ["jos\u0065\u0301@example.com", "x"],
  [`e${"\u0301".repeat(40)}@example.com`, "x"],
  [`${"a".repeat(250)}@example.com`, "x"],
  [`${"a".repeat(2000)}@example.com`, ""],
])("AU-02 the login form is judged by its schema's sentences: %s", (email, password) => {
  expect(said(loginForm, { email, password })).toEqual(said(loginFormSchema, { email, password }));
});

const text = fc.oneof(fc.string({ unit: "grapheme" }), fc.emailAddress(), fc.stringMatching(/^[a-b@. '+-]{0,12}$/));
test.prop([text, fc.string()])("AU-02 so is any other text", (email, password) => {
  expect(said(loginForm, { email, password })).toEqual(said(loginFormSchema, { email, password }));
});

test("AU-02 an address has the validator's pattern", () => {
  expect(emailPattern.source).toBe(z.regexes.email.source.replaceAll(String.raw`\-`, "-"));
});
