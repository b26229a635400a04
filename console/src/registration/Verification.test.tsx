// Tests the verification page with stubbed responses: it sends nothing before confirmation, and reports dead links (RG-06,
// T-08).
import { expect, test } from "vitest";
import { type StubbedResponse, type StubbedResponses, openConsole } from "../testing/console.tsx";

const link = "/account/01a1f936-ceab-7240-9e31-b83150cca303/registration/Zm9v";
const at = (stepReached: number): StubbedResponse => ({ status: 200, body: { registrationInfo: [{ stepReached }] } });
const signedOut: StubbedResponses = {
  "GET /api/auth/user": { status: 401, body: { code: 106, error: "Unauthorized access." } },
};
const open = (address: string, answers: StubbedResponses) => openConsole(address, { ...signedOut, ...answers });

const verify = `${link}/verify/YmF6`;
const shown: StubbedResponse = { status: 200, body: { organization: "Byron Analytics", email: "ada@example.com" } };
const refusal = (details: object, statusText = "Bad Request"): StubbedResponse => ({
  status: 400,
  statusText,
  body: { code: 102, error: "An invalid argument was given.", details },
});
const wrong = refusal({ field: "code" });
const expired = refusal({ field: "code", reason: "expired" });
const gone: StubbedResponse = { status: 404, statusText: "Not Found", body: { code: 105, error: "Not found." } };

test("RG-06 T-08 the verification page only shows the registration; Confirm confirms once", async () => {
  const asked: string[] = [];
  const { screen } = await open(verify, {
    [`GET /api${verify}`]: () => (asked.push("GET"), shown),
    [`PUT /api${verify}`]: () => (asked.push("PUT"), at(2)),
    [`DELETE /api${verify}`]: () => (asked.push("DELETE"), { status: 200, body: {} }),
  });
  await expect.element(screen.getByText("Byron Analytics", { exact: true })).toBeVisible();
  await expect.element(screen.getByText("ada@example.com", { exact: true })).toBeVisible();
  await expect.element(screen.getByRole("button", { name: "That wasn't me" })).toBeVisible();
  expect(asked.filter((method) => method !== "GET")).toEqual([]);
  expect(screen.getByRole("button", { name: "To Login Page" }).query()).toBeNull();
  await screen.getByRole("button", { name: "Confirm" }).click();
  await expect.element(screen.getByRole("heading", { level: 1 })).toHaveTextContent("Your registration is complete");
  await expect.element(screen.getByRole("heading", { level: 1 })).toHaveFocus();
  await expect.element(screen.getByRole("button", { name: "To Login Page" })).toBeVisible();
  expect(asked.filter((method) => method !== "GET")).toEqual(["PUT"]);
});

test("RG-06 T-08 'That wasn't me' ends the registration and says so", async () => {
  const asked: string[] = [];
  const { screen, address: at_ } = await open(verify, {
    [`GET /api${verify}`]: shown,
    [`PUT /api${verify}`]: () => (asked.push("PUT"), at(2)),
    [`DELETE /api${verify}`]: () => (asked.push("DELETE"), { status: 200, body: {} }),
  });
  await screen.getByRole("button", { name: "That wasn't me" }).click();
  await expect.element(screen.getByRole("heading", { level: 1 })).toHaveTextContent("Registration ended");
  expect(asked).toEqual(["DELETE"]);
  await screen.getByRole("button", { name: "To Login Page" }).click();
  await expect.poll(at_).toBe("/login");
});

test.each<[string, StubbedResponse, StubbedResponse, string, string]>([
  [
    "a used link",
    wrong,
    at(2),
    "Your email address is already confirmed. You can log in.",
    "Your registration is complete",
  ],
  [
    "a link that another one has replaced",
    wrong,
    at(1),
    "Email verification failed. This link is no longer valid. Use the link in the latest email we sent you.",
    "Please confirm your email address",
  ],
  ["an unknown link", gone, gone, "Email verification failed. This link is not valid.", "Registration"],
])("RG-06 %s is reported with what to do, never with a status line", async (_, answer, state, sentence, heading) => {
  const { screen } = await open(verify, { [`GET /api${verify}`]: answer, [`GET /api${link}`]: state });
  await expect.element(screen.getByRole("alert")).toMatchTextContent(sentence);
  await expect.element(screen.getByRole("alert")).not.toMatchTextContent(/bad request|not found/i);
  await expect.element(screen.getByRole("heading", { level: 1 })).toHaveTextContent(heading);
  await expect
    .poll(() => screen.getByRole("button", { name: "To Login Page" }).elements().length)
    .toBe(heading === "Please confirm your email address" ? 0 : 1);
});

test("RG-06 a code that has expired is reported before anything is sent; a new link comes on request", async () => {
  const asked: string[] = [];
  const { screen } = await open(verify, {
    [`GET /api${verify}`]: expired,
    [`PUT /api${verify}`]: () => (asked.push("PUT"), expired),
  });
  await expect.element(screen.getByRole("alert")).toMatchTextContent("This link has expired.");
  expect(asked).toEqual([]);
  await screen.getByRole("button", { name: "Send a new link" }).click();
  await expect.element(screen.getByRole("alert")).toHaveTextContent("This link has expired. We emailed you a new one.");
  expect(asked).toEqual(["PUT"]);
});

test("RG-06 who did not register can say so by an expired link, too", async () => {
  const asked: string[] = [];
  const { screen } = await open(verify, {
    [`GET /api${verify}`]: expired,
    [`DELETE /api${verify}`]: () => (asked.push("DELETE"), { status: 200, body: {} }),
  });
  await screen.getByRole("button", { name: "That wasn't me" }).click();
  await expect.element(screen.getByRole("heading", { level: 1 })).toHaveTextContent("Registration ended");
  expect(asked).toEqual(["DELETE"]);
});

test(
  "RG-06 without a connection nothing is lost: trying again shows, and confirming again confirms",
  { tags: "prove" },
  async () => {
    const [looks, confirms]: StubbedResponse[][] = [
      [{ status: 0 }, shown],
      [{ status: 0 }, at(2)],
    ];
    const { screen } = await open(verify, {
      [`GET /api${verify}`]: () => looks?.shift() ?? shown,
      [`PUT /api${verify}`]: () => confirms?.shift() ?? wrong,
    });
    const alert = screen.getByRole("alert").getByText("Email verification failed. No connection to server.");
    await expect.element(alert).toBeVisible();
    await screen.getByRole("button", { name: "Try again" }).click();
    await screen.getByRole("button", { name: "Confirm" }).click();
    await expect.element(alert).toBeVisible();
    await screen.getByRole("button", { name: "Confirm" }).click();
    await expect.element(screen.getByRole("button", { name: "To Login Page" })).toBeVisible();
  },
);

test("RG-06 confirmed or ended elsewhere meanwhile: the button says how it stands", async () => {
  const { screen } = await open(verify, {
    [`GET /api${verify}`]: shown,
    [`PUT /api${verify}`]: wrong,
    [`DELETE /api${verify}`]: wrong,
    [`GET /api${link}`]: at(2),
  });
  await screen.getByRole("button", { name: "That wasn't me" }).click();
  await expect.element(screen.getByRole("alert")).toMatchTextContent("already confirmed");
});
