// Tests the login page (AU-01 to AU-03).
import { expect, test } from "vitest";
import { type StubbedResponse, openConsole } from "../testing/console.tsx";
import { everyNth } from "@psp/contract/kit/rounds.testing.ts";

const signedOut: Record<string, StubbedResponse> = {
  "GET /api/auth/user": { status: 401, body: { code: 106, error: "Unauthorized access." } },
};

async function submit(
  answer: StubbedResponse | (() => Promise<StubbedResponse>),
  email = "person@example.com",
  password = "a long enough password",
) {
  const opened = await openConsole("/login", { ...signedOut, "POST /api/auth/login": answer });
  const { screen } = opened;
  await screen.getByLabelText("Email").fill(email);
  await screen.getByRole("textbox", { name: "Password" }).fill(password);
  await screen.getByRole("button", { name: "Login" }).click();
  return opened;
}

test.each([
  ["", "", ["E-mail is required", "Password is required"]],
  ["someone", "x", ["Must be valid e-mail"]],
  ["person@example.com", "", ["Password is required"]],
])("AU-02 %j with password %j: %j", async (email, password, sentences) => {
  let asked = 0;
  const counted = async () => ({ status: 500, body: (asked += 1) });
  const { screen } = await submit(counted, email, password);
  for (const sentence of sentences) await expect.element(screen.getByText(sentence)).toBeVisible();
  expect(asked).toBe(0);
});

test.each<[string, StubbedResponse, string]>(
  everyNth(3, [
    ["no answer", { status: 0 }, "Login request timed out"],
    ["401 without words", { status: 401, body: {} }, "Email or password is wrong"],
    [
      "401 Unauthorized",
      { status: 401, body: { code: 106, error: "Unauthorized access." } },
      "Email or password is wrong",
    ],
    [
      "429",
      { status: 429, body: { error: "Slow down" } },
      "Rate limit reached. Please wait 1 minute before trying again.",
    ],
    [
      "another status: the server's sentence, never the status line",
      { status: 503, statusText: "Service Unavailable", body: { code: 100, error: "A database error occured." } },
      "A database error occured.",
    ],
    [
      "a proxy's own page",
      { status: 502, statusText: "Bad Gateway", body: "<html>502 Bad Gateway</html>" },
      "No connection to server.",
    ],
    ["a proxy that refuses", { status: 403, statusText: "Forbidden", body: "<html>" }, "The request failed."],
    [
      "an address that is not the console's own",
      {
        status: 403,
        statusText: "Forbidden",
        body: {
          code: 106,
          error: "Unauthorized access.",
          details: {
            reason: "This console is set up for https://console.example.com. Open it there.",
            publicUrl: "https://console.example.com",
          },
        },
      },
      "This console is set up for https://console.example.com. Open it there.",
    ],
  ]),
)("AU-03 %s", async (_, answer, sentence) => {
  const { screen } = await submit(answer);
  await expect.element(screen.getByRole("alert")).toHaveTextContent(sentence);
  await expect.element(screen.getByRole("alert")).not.toMatchTextContent(/Unavailable|Gateway|Forbidden|html/);
  await expect.element(screen.getByRole("button", { name: "Login" })).toBeEnabled();
});

test("AU-01 the fields are off while the answer is awaited", async () => {
  const { promise, resolve: answer } = Promise.withResolvers<StubbedResponse>();
  const { screen } = await submit(() => promise);
  await expect.element(screen.getByLabelText("Email")).toBeDisabled();
  await expect.element(screen.getByRole("textbox", { name: "Password" })).toBeDisabled();
  await expect.element(screen.getByRole("button", { name: "Login" })).toBeDisabled();
  answer({ status: 401, body: {} });
  await expect.element(screen.getByLabelText("Email")).toBeEnabled();
});
