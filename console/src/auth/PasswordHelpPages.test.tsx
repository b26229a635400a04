// Tests the pages for forgotten passwords (AU-04 to AU-06).
import { beforeEach, expect, test, vi } from "vitest";
import { config } from "../api/config.ts";
import { type StubbedResponse, type StubbedResponses, openConsole } from "../testing/console.tsx";
import { typeInto } from "../testing/type.ts";
import { everyNth } from "@psp/contract/kit/rounds.testing.ts";

const rules = ["At least 15 characters", "Not easy to guess"];
const good = "seven geese over the quay";
const judged: string[] = [];
const judge = (sent: unknown): StubbedResponse => {
  const { password } = sent as { password: string };
  judged.push(password);
  const details = rules.map((requirement, n) => ({ requirement, fulfilled: password.length >= 15 - n * 10 }));
  return { status: 200, body: { fulfilled: details.every(({ fulfilled }) => fulfilled), details } };
};
const answers: StubbedResponses = {
  "GET /api/auth/user": { status: 401, body: { code: 106, error: "Unauthorized access." } },
  "PUT /api/auth/evaluate_password": judge,
};
const invalid = "Reset link is invalid. Try to generate a new one";
const updated = "Your password was updated successfully. You can now login with your new password.";
const rateLimit = "Rate limit reached. Please wait 1 minute before trying again.";

beforeEach(() => {
  judged.length = 0;
  config.allowedOrigins = ["https://export.example.com"];
});

async function openForgot(answer: StubbedResponses[string], query = "") {
  const opened = await openConsole(`/forgot-password${query}`, {
    ...answers,
    "PUT /api/auth/login/forgot_password": answer,
  });
  const ask = async (email: string) => {
    await opened.screen.getByLabelText("Email").fill(email);
    await opened.screen.getByRole("button", { name: "Get reset link" }).click();
  };
  return { ...opened, ask };
}

async function openReset(answer: StubbedResponses[string], query = "?token=a.b.c", more: StubbedResponses = {}) {
  const opened = await openConsole(`/reset-password${query}`, {
    ...answers,
    "PUT /api/auth/login/reset_password": answer,
    ...more,
  });
  const { screen } = opened;
  const field = (name: string) => screen.getByRole("textbox", { name });
  const submit = async (password: string, repeated = password) => {
    await field("New password").fill(password);
    await field("Confirm password").fill(repeated);
    await screen.getByRole("button", { name: "Update Password" }).click();
  };
  return { ...opened, field, submit };
}

test("AU-04 requesting a link hides the form; the origin is only sent if it is allowed", async () => {
  const sent: unknown[] = [];
  const take = (body: unknown) => ({ status: 200, body: (sent.push(body), {}) });
  const { screen, ask } = await openForgot(take, "?origin=https%3A%2F%2Fevil.example.net");
  await expect
    .element(screen.getByText("Enter the email address linked to your account, and we'll send you a reset link."))
    .toBeVisible();
  await ask("someone");
  await expect.element(screen.getByText("Must be valid e-mail")).toBeVisible();
  await ask("");
  await expect.element(screen.getByText("E-mail is required")).toBeVisible();
  expect(sent).toEqual([]);
  await ask("person@example.com");
  await expect
    .element(screen.getByRole("alert"))
    .toHaveTextContent("We sent you a reset link to your email. Please check your inbox to proceed.");
  expect(screen.getByLabelText("Email").query()).toBeNull();
  expect(screen.getByRole("button", { name: "Get reset link" }).query()).toBeNull();
  expect(sent).toEqual([{ email: "person@example.com" }]);
  await screen.unmount();
  const second = await openForgot(take, "?origin=https%3A%2F%2Fexport.example.com");
  await second.ask("person@example.com");
  await expect.element(second.screen.getByRole("alert")).toBeVisible();
  expect(sent[1]).toEqual({ email: "person@example.com", origin: "https://export.example.com" });
});

test.each<[string, StubbedResponse, string]>([
  ["429", { status: 429, body: { code: 306, error: "Slow down" } }, rateLimit],
  ["no answer", { status: 0 }, "No connection to server."],
])("AU-04 %s keeps the form and says so", async (_, answer, sentence) => {
  const { screen, ask } = await openForgot(answer);
  await ask("person@example.com");
  await expect.element(screen.getByRole("alert")).toHaveTextContent(sentence);
  await expect.element(screen.getByRole("button", { name: "Get reset link" })).toBeEnabled();
});

test(
  "AU-05 the chips follow the typing, and a password that lacks something is not sent",
  { tags: "prove" },
  async () => {
    let asked = 0;
    const { screen, field, submit } = await openReset(() => ({ status: 200, body: ((asked += 1), {}) }));
    const list = screen.getByRole("list", { name: "Password requirements" });
    await expect.element(list).toHaveAttribute("aria-live", "polite");
    const chip = (n: number) => list.getByRole("listitem").nth(n);
    await expect.element(chip(0)).toHaveTextContent("At least 15 characters");
    await field("New password").fill("eightchr");
    await expect.element(chip(1)).toHaveTextContent("Not easy to guess: fulfilled");
    await expect.element(chip(0)).toHaveTextContent("At least 15 characters: not fulfilled");
    await submit("eightchr");
    await expect.element(screen.getByText("The password doesn't fulfill all requirements")).toBeVisible();
    await submit(good, "something else");
    await expect.element(screen.getByText("Passwords do not match")).toBeVisible();
    await expect.element(chip(0)).toHaveTextContent("At least 15 characters: fulfilled");
    await submit("", "");
    await expect.element(screen.getByText("Password is required")).toBeVisible();
    expect(asked).toBe(0);
    await submit(good);
    await expect.element(screen.getByRole("alert")).toHaveTextContent(updated);
    expect(asked).toBe(1);
    expect(screen.getByRole("button", { name: "Update Password" }).query()).toBeNull();
  },
);

test("AU-05 AU-07 under an empty password nothing is ticked off, whatever an empty text fulfills", async () => {
  const { screen, field } = await openReset({ status: 200 }, undefined, {
    "PUT /api/auth/evaluate_password": (sent) => {
      judged.push((sent as { password: string }).password);
      const details = rules.map((requirement) => ({ requirement, fulfilled: true }));
      return { status: 200, body: { fulfilled: true, details } };
    },
  });
  const chips = screen.getByRole("list", { name: "Password requirements" }).getByRole("listitem");
  const shown = () => chips.elements().map((one) => one.textContent);
  const icons = () => chips.elements().map((one) => one.querySelector("svg path")?.getAttribute("d"));
  await expect.poll(shown).toEqual(rules);
  const [circle] = icons();
  expect(icons()).toEqual(rules.map(() => circle));
  await field("New password").fill("x");
  await expect.poll(shown).toEqual(rules.map((rule) => `${rule}: fulfilled`));
  expect(new Set(icons()).size).toBe(1);
  expect(icons()).not.toContain(circle);
  await field("New password").fill("");
  await expect.poll(shown).toEqual(rules);
  expect(icons()).toEqual(rules.map(() => circle));
});

test("AU-05 differing passwords are reported although the password is missing as well", async () => {
  const { screen, submit } = await openReset({ status: 200 });
  await submit("", "something");
  await expect.element(screen.getByText("Password is required")).toBeVisible();
  await expect.element(screen.getByText("Passwords do not match")).toBeVisible();
});

test("AU-05 a password that changes while it is typed is judged once it rests", async () => {
  const { screen, field } = await openReset({ status: 200 });
  await expect.poll(() => judged).toEqual([""]);
  const box = field("New password").element();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  for (let end = 1; end <= good.length; end += 1) {
    typeInto(box, good.slice(0, end));
    await vi.advanceTimersByTimeAsync(200);
  }
  expect(judged).toEqual([""]);
  await vi.advanceTimersByTimeAsync(50);
  expect(judged).toEqual(["", good]);
  await expect
    .element(screen.getByRole("listitem").filter({ hasText: "At least 15 characters" }))
    .toHaveTextContent("At least 15 characters: fulfilled");
});

test("AU-07 of a text that is longer than the server judges, its beginning is judged", async () => {
  const { field } = await openReset({ status: 200 });
  await field("New password").fill("seven geese ".repeat(200));
  await expect.poll(() => judged.at(-1)?.length).toBe(1024);
});

test("AU-05 what only the server knows about a password shows on its chip", async () => {
  const refusal = { code: 205, error: "Invalid password.", details: { requirements: ["Not easy to guess"] } };
  const { screen, submit, field } = await openReset({ status: 400, body: refusal });
  await submit(good);
  await expect.element(screen.getByText("The password doesn't fulfill all requirements")).toBeVisible();
  await expect
    .element(screen.getByRole("listitem").filter({ hasText: "Not easy to guess" }))
    .toHaveTextContent("Not easy to guess: not fulfilled");
  await expect.element(field("New password")).toHaveFocus();
  expect(screen.getByRole("alert").query()).toBeNull();
});

test("AU-05 a judgement that comes after the refusal takes nothing of it back", async () => {
  const refusal = { code: 205, error: "Invalid password.", details: { requirements: ["Not easy to guess"] } };
  let asked = 0;
  const { screen, field } = await openReset({ status: 400, body: refusal }, "?token=a.b.c", {
    "PUT /api/auth/evaluate_password": (sent) => {
      if ((sent as { password: string }).password === good) asked += 1;
      const requirements = asked < 2 ? rules : [...rules, "Judged again"];
      return {
        status: 200,
        body: { fulfilled: true, details: requirements.map((one) => ({ requirement: one, fulfilled: true })) },
      };
    },
  });
  const chip = (text: string) => screen.getByRole("listitem").filter({ hasText: text });
  await expect.element(chip("Not easy to guess")).toBeVisible();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  for (const name of ["New password", "Confirm password"]) typeInto(field(name).element(), good);
  // Submitted before the debounce, so the password is evaluated again.
  (screen.getByRole("button", { name: "Update Password" }).element() as HTMLElement).click();
  await expect.element(chip("Not easy to guess")).toHaveTextContent("Not easy to guess: not fulfilled");
  await vi.advanceTimersByTimeAsync(250);
  await expect.element(chip("Judged again")).toBeVisible();
  await expect.element(chip("Not easy to guess")).toHaveTextContent("Not easy to guess: not fulfilled");
});

test.each<[string, StubbedResponse, string]>(
  everyNth(3, [
    ["a refused token", { status: 400, body: { code: 102, error: "An invalid argument was given." } }, invalid],
    ["429", { status: 429, body: { code: 306, error: "No permission." } }, rateLimit],
    ["no answer", { status: 0 }, "No connection to server."],
  ]),
)("AU-05 %s", async (_, answer, sentence) => {
  const { screen, submit } = await openReset(answer);
  await submit(good);
  await expect.element(screen.getByRole("alert")).toHaveTextContent(sentence);
  await expect.element(screen.getByRole("button", { name: "Update Password" })).toBeEnabled();
});

test("AU-05 a dead link says what happened to it, and leads to a new one", async () => {
  const body = { code: 102, error: "x", details: { field: "token", reason: "The link was already used" } };
  const { screen, submit, address } = await openReset({ status: 400, body });
  await submit(good);
  await expect.element(screen.getByRole("alert")).toHaveTextContent(invalid);
  await expect.element(screen.getByText("The link was already used.", { exact: true })).toBeVisible();
  await screen.getByRole("link", { name: "Forgot password?" }).click();
  await expect.poll(address).toBe("/forgot-password");
});

test("AU-05 a link that has expired is reported before anyone thinks of a password", async () => {
  const token = (exp: number) => `?token=a.${btoa(JSON.stringify({ sub: "x", jti: "y", exp })).replaceAll("=", "")}.c`;
  const now = Math.floor(Date.now() / 1000);
  const dead = await openReset({ status: 200, body: {} }, token(now - 60));
  await expect.element(dead.screen.getByRole("alert")).toHaveTextContent(invalid);
  await expect.element(dead.screen.getByText("The link has expired.", { exact: true })).toBeVisible();
  // The local clock may be wrong; the server decides.
  await dead.submit(good);
  await expect.element(dead.screen.getByRole("alert")).toHaveTextContent(updated);
  await dead.screen.unmount();
  const alive = await openReset({ status: 200, body: {} }, token(now + 600));
  await expect.element(alive.screen.getByRole("button", { name: "Update Password" })).toBeVisible();
  expect(alive.screen.getByRole("alert").query()).toBeNull();
});

test("AU-05 a link without its token is reported at once, and leads to a new one", async () => {
  const { screen, address } = await openReset({ status: 200 }, "");
  await expect.element(screen.getByRole("alert")).toHaveTextContent(invalid);
  await screen.getByRole("link", { name: "Forgot password?" }).click();
  await expect.poll(address).toBe("/forgot-password");
});

test.each([
  ["/forgot-password?origin=https://export.example.com", "https://export.example.com/login"],
  [
    `/reset-password?token=a.${btoa('{"origin":"https://export.example.com"}').replaceAll("=", "")}.c`,
    "https://export.example.com/login",
  ],
  ["/reset-password?token=a.b.c&origin=https://evil.example.net", "/login"],
  ["/forgot-password?origin=//evil.example.net&from=/sensor", "/login?from=/sensor"],
])("AU-06 from %s back to %s", async (from, to) => {
  const { screen } = await openConsole(from, answers);
  await expect.element(screen.getByRole("link", { name: "Back to login page" })).toHaveAttribute("href", to);
});
