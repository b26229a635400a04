// Tests messages, requests and stored drafts of the registration pages with stubbed responses (RG-01, RG-03 to RG-06).
import { beforeEach, expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { type StubbedResponse, type StubbedResponses, openConsole } from "../testing/console.tsx";
import { everyNth } from "@psp/contract/kit/rounds.testing.ts";

const id = "01a1f936-ceab-7240-9e31-b83150cca303";
const link = `/account/${id}/registration/Zm9v`;
const good = "seven geese over the quay";
const judge = (sent: unknown): StubbedResponse => {
  const { password } = sent as { password: string };
  const details = [{ requirement: "At least 15 characters", fulfilled: password.length >= 15 }];
  return { status: 200, body: { fulfilled: password.length >= 15, details } };
};
const base: StubbedResponses = {
  "GET /api/auth/user": { status: 401, body: { code: 106, error: "Unauthorized access." } },
  "PUT /api/auth/evaluate_password": judge,
};
const at = (stepReached: number): StubbedResponse => ({ status: 200, body: { registrationInfo: [{ stepReached }] } });
const invitation = (more: object = {}): StubbedResponse => ({
  status: 200,
  body: {
    registrationInfo: [{ stepReached: 0, credentials: { email: "ada@example.com" } }],
    readonlyAddress: false,
    name: "Byron Analytics",
    phone: null,
    street: null,
    streetNumber: null,
    zip: null,
    city: null,
    country: null,
    ...more,
  },
});
const person: [label: string, value: string][] = [
  ["First Name", "Anne-Marie"],
  ["Family Name", "O'Brien"],
  ["Department", "Sales"],
];
const address: [label: string, value: string][] = [
  ["Street", "Kanalweg"],
  ["Street Number", "7 a"],
  ["Postal Code", "10115"],
  ["City", "Bad Homburg"],
  ["Country", "Germany"],
];

beforeEach(() => sessionStorage.clear());

async function open(address_: string, answers: StubbedResponses = {}) {
  const opened = await openConsole(address_, { ...base, ...answers });
  const field = (label: string) => opened.screen.getByLabelText(label, { exact: true });
  const box = (label: string) => opened.screen.getByRole("checkbox", { name: new RegExp(label) });
  const fill = async (pairs: [label: string, value: string][]) => {
    for (const [label, value] of pairs) await field(label).fill(value);
  };
  const passwords = (password = good, repeated = password) =>
    fill([
      ["Password", password],
      ["Confirm Password", repeated],
    ]);
  const tickBoth = async () => {
    for (const name of ["Data Processing Agreement", "End User License Agreement"]) await box(name).click();
  };
  const register = () => opened.screen.getByRole("button", { name: "Register" }).click();
  return { ...opened, field, box, fill, passwords, tickBoth, register };
}

test("RG-01 RG-05 an invitation opens a prefilled form without e-mail and supplier", async () => {
  const sent: unknown[] = [];
  const { screen, field, fill, passwords, tickBoth, register } = await open(link, {
    [`GET /api${link}`]: invitation(),
    [`PUT /api${link}`]: (body) => {
      sent.push(body);
      return at(1);
    },
  });
  await expect.element(screen.getByRole("heading", { level: 1 })).toHaveTextContent("Thank you for your purchase!");
  await expect.element(field("Organization")).toHaveValue("Byron Analytics");
  for (const label of ["Email", "Supplier"]) expect(field(label).query()).toBeNull();
  await expect.element(screen.getByText("You are registering with ada@example.com")).toBeVisible();
  await fill([...person, ["Organization", " Byron & Co "], ["Phone Number", "+49 30 1234"], ...address]);
  await passwords();
  await tickBoth();
  await register();
  await expect
    .element(
      screen.getByText(
        "We sent a verification email to the address that received your invitation. Open the link in it to complete your registration.",
      ),
    )
    .toBeVisible();
  const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string;
  expect(sent).toEqual([
    {
      name: "Byron & Co",
      phone: "+49 30 1234",
      street: "Kanalweg",
      streetNumber: "7 a",
      zip: "10115",
      city: "Bad Homburg",
      country: "Germany",
      legal: {
        firstName: "Anne-Marie",
        familyName: "O'Brien",
        department: "Sales",
        dpaAcceptedAt: instant,
        eulaAcceptedAt: instant,
      },
      credentials: { password: good },
    },
  ]);
  expect(screen.getByRole("button", { name: "Register" }).query()).toBeNull();
  expect(sessionStorage.length).toBe(0);
});

test("RG-05 a locked address is shown, can't be changed and is not sent", { tags: "prove" }, async () => {
  const sent: Record<string, unknown>[] = [];
  const locked = { street: "Alte Gasse", streetNumber: null, zip: "20095", city: "Hamburg", country: "Germany" };
  const { screen, field, fill, passwords, tickBoth, register } = await open(link, {
    [`GET /api${link}`]: invitation({ ...locked, readonlyAddress: true }),
    [`PUT /api${link}`]: (body) => {
      sent.push(body as Record<string, unknown>);
      return at(1);
    },
  });
  for (const [label] of address) await expect.element(field(label)).toHaveAttribute("readonly");
  await expect.element(field("City")).toHaveValue("Hamburg");
  await expect.element(field("Phone Number")).not.toHaveAttribute("readonly");
  await fill([...person, ["Phone Number", "112"]]);
  await passwords();
  await tickBoth();
  await register();
  await expect.element(screen.getByText("Please confirm your email address")).toBeVisible();
  expect(Object.keys(sent[0] ?? {}).toSorted()).toEqual(["credentials", "legal", "name", "phone"]);
});

test("a colleague types only a name and a password; organization and address are filled in and locked", async () => {
  const sent: Record<string, unknown>[] = [];
  const home = { street: "Quay", streetNumber: "7", zip: "10115", city: "Berlin", country: "Germany" };
  const { screen, field, fill, passwords, tickBoth, register } = await open(link, {
    [`GET /api${link}`]: invitation({ ...home, readonlyAddress: true, readonlyOrganization: true }),
    [`PUT /api${link}`]: (body) => {
      sent.push(body as Record<string, unknown>);
      return at(1);
    },
  });
  await expect.element(screen.getByRole("heading", { level: 1, name: "Welcome to PS.Platform" })).toBeVisible();
  await expect.element(screen.getByText(/^You have been invited by Byron Analytics/)).toBeVisible();
  for (const label of ["Organization", ...address.map(([one]) => one)])
    await expect.element(field(label)).toHaveAttribute("readonly");
  await expect.element(field("Department")).toHaveAccessibleDescription("Optional");
  await fill(person.slice(0, 2));
  await passwords();
  await tickBoth();
  await register();
  await expect.element(screen.getByText("Please confirm your email address")).toBeVisible();
  expect(sent[0]).toMatchObject({ legal: { firstName: "Anne-Marie", familyName: "O'Brien" } });
  expect(Object.keys(sent[0] ?? {})).not.toContain("city");
});

test("RG-01 steps 1 and 2 have their messages, the last one a way to the login", async () => {
  const first = await open(link, { [`GET /api${link}`]: at(1) });
  await expect
    .element(first.screen.getByText(/^We sent a verification email to the address that received your invitation/))
    .toBeVisible();
  expect(first.screen.getByRole("button", { name: "To Login Page" }).query()).toBeNull();
  await first.screen.unmount();
  const { screen, address: shown } = await open(link, { [`GET /api${link}`]: at(2) });
  await expect
    .element(
      screen.getByText(
        "You can now log in with your email address and the password you chose. If that doesn't work, choose 'Forgot password?' on the login page.",
      ),
    )
    .toBeVisible();
  await screen.getByRole("button", { name: "To Login Page" }).click();
  await expect.poll(shown).toBe("/login");
});

test.each<[string, StubbedResponse, string]>([
  [
    "an unknown link",
    { status: 404, statusText: "Not Found", body: { code: 105, error: "Not found." } },
    "This link is not valid.",
  ],
  [
    "an old invitation",
    {
      status: 404,
      statusText: "Not Found",
      body: { code: 105, error: "Not found.", details: { reason: "The invitation has expired" } },
    },
    "This invitation expired after 30 days. Please ask the person who invited you for a new one.",
  ],
])("RG-01 %s says what happened and what to do, and leads to the login", async (_, answer, sentence) => {
  const { screen, address: shown } = await open(link, { [`GET /api${link}`]: answer });
  await expect.element(screen.getByRole("alert")).toMatchTextContent(sentence);
  await expect.element(screen.getByRole("alert")).toMatchTextContent("ask the person who invited you");
  await expect.element(screen.getByRole("alert")).not.toMatchTextContent(/not found/i);
  await screen.getByRole("button", { name: "To Login Page" }).click();
  await expect.poll(shown).toBe("/login");
});

test(
  "RG-01 a form that was sent from another tab meanwhile: where the registration stands now",
  { tags: "prove" },
  async () => {
    const states = [invitation(), at(1)];
    const { screen, fill, passwords, tickBoth, register } = await open(link, {
      [`GET /api${link}`]: () => states.shift() ?? at(1),
      [`PUT /api${link}`]: { status: 400, body: { code: 102, error: "x", details: { field: "regId" } } },
    });
    await fill([...person, ["Organization", "Byron"], ["Phone Number", "112"], ...address]);
    await passwords();
    await tickBoth();
    await register();
    await expect
      .element(screen.getByRole("heading", { level: 1 }))
      .toHaveTextContent("Please confirm your email address");
    expect(screen.getByRole("alert").query()).toBeNull();
  },
);

test("RG-01 a spinner while the page is loading, and plain words where that fails", async () => {
  const { promise, resolve: answer } = Promise.withResolvers<StubbedResponse>();
  const { screen } = await open(link, { [`GET /api${link}`]: () => promise });
  await expect.element(screen.getByRole("progressbar")).toBeVisible();
  expect(screen.getByRole("banner").query()).toBeNull();
  answer({ status: 404, statusText: "Not Found", body: { code: 105, error: "Not found." } });
  await expect.element(screen.getByRole("alert")).toMatchTextContent("This link is not valid.");
  expect(screen.getByRole("button", { name: "Register" }).query()).toBeNull();
});

test("RG-01 a refused form shows the server's message at the top and keeps the input", { tags: "prove" }, async () => {
  const { screen, field, fill, passwords, tickBoth, register, box } = await open(link, {
    [`GET /api${link}`]: invitation(),
    [`PUT /api${link}`]: { status: 400, body: { code: 102, error: "An invalid argument was given." } },
  });
  await expect.element(field("First Name")).toBeVisible();
  await fill([...person, ["Phone Number", "112"], ...address]);
  await passwords();
  await tickBoth();
  document.documentElement.scrollTop = 10_000;
  await register();
  await expect.element(screen.getByRole("alert")).toHaveTextContent("An invalid argument was given.");
  await expect.element(screen.getByRole("alert")).toHaveFocus();
  expect(window.scrollY).toBe(0);
  for (const [label, value] of [...person, ...address, ["Password", good] as const])
    await expect.element(field(label)).toHaveValue(value);
  await expect.element(box("Data Processing Agreement")).toBeChecked();
});

test("RG-04 an empty form says what each field needs, and the first one gets the focus", async () => {
  const sent: unknown[] = [];
  const { screen, field, register } = await open("/sign-up", {
    "POST /api/account/registration": (body) => ({ status: 200, body: (sent.push(body), {}) }),
  });
  await register();
  for (const sentence of [
    "First name is required",
    "Family name is required",
    "Department name is required",
    "Organization name is required",
    "Phone number is required",
    "Street is required",
    "Street number is required",
    "Postal code is required",
    "City is required",
    "Country is required",
    "The email is required",
    "The password is required",
  ])
    await expect.element(screen.getByText(sentence, { exact: true })).toBeVisible();
  expect(screen.getByText("Please tick the checkbox").elements()).toHaveLength(2);
  await expect.element(field("First Name")).toHaveFocus();
  await expect.element(field("First Name")).toHaveAttribute("aria-invalid", "true");
  expect(sent).toEqual([]);
});

const x = (n: number) => "x".repeat(n);
test.each<[label: string, text: string, sentence: string]>(
  everyNth(4, [
    ["First Name", "R2D2", "First name may only consist of latin letters and spaces"],
    ["First Name", "a<b", "First name may only consist of latin letters and spaces"],
    ["First Name", x(21), "First name is too long"],
    ["Family Name", "Иванов", "Family name may only consist of latin letters and spaces"],
    ["Family Name", x(41), "Family name is too long"],
    ["Department", x(41), "Department name is too long"],
    ["Department", "{x}", "Invalid input. Remove special characters like '<>', '[]', '{}'."],
    ["Organization", "AB", "Organization name must be at least 3 characters long"],
    ["Organization", x(101), "Organization name is too long"],
    ["Phone Number", "1".repeat(21), "Phone number is too long"],
    ["Street", x(101), "Street is too long"],
    ["Street Number", "7/8", "Street number may only consist of letters, digits and spaces"],
    ["Street Number", "12345678901", "Street number is too long"],
    ["Postal Code", "12345678901", "Postal code is too long"],
    ["City", "10115", "City may only consist of latin letters and spaces"],
    ["City", x(101), "City is too long"],
    ["Country", "日本", "Country may only consist of latin letters and spaces"],
    ["Country", x(61), "Country is too long"],
    ["Email", "someone", "Invalid email"],
    ["Supplier", "a/b", "Supplier may only consist of letters, digits, spaces and . , -"],
    ["Supplier", x(101), "Supplier is too long"],
  ]),
)("RG-04 leaving %s with %j says: %s", async (label, text, sentence) => {
  const { screen, field } = await open("/sign-up");
  await field(label).fill(text);
  expect(screen.getByText(sentence, { exact: true }).query()).toBeNull();
  await userEvent.tab();
  await expect.element(screen.getByText(sentence, { exact: true })).toBeVisible();
  // Overlong text is rejected, not truncated.
  await expect.element(field(label)).toHaveValue(text);
});

test(
  "RG-04 AU-07 password chips come from the server, and an insufficient password is not sent",
  { tags: "prove" },
  async () => {
    const judged: unknown[] = [];
    const sent: unknown[] = [];
    const { screen, field, fill, passwords, tickBoth, register } = await open("/sign-up", {
      "PUT /api/auth/evaluate_password": (body) => (judged.push(body), judge(body)),
      "POST /api/account/registration": (body) => ({ status: 200, body: (sent.push(body), {}) }),
    });
    const chip = screen.getByRole("list", { name: "Password requirements" }).getByRole("listitem");
    await expect.poll(() => chip.element().textContent).toBe("At least 15 characters");
    await fill([
      ...person,
      ["Organization", "Byron"],
      ["Phone Number", "112"],
      ...address,
      ["Email", "ada@example.com"],
    ]);
    await tickBoth();
    await passwords("short", "other");
    await register();
    await expect.element(screen.getByText("Password does not match")).toBeVisible();
    await passwords("short");
    await register();
    await expect.element(screen.getByText("The password doesn't fulfill all requirements")).toBeVisible();
    await expect.element(field("Password")).toHaveFocus();
    expect(sent).toEqual([]);
    await passwords();
    await expect.element(chip).toHaveTextContent("At least 15 characters – fulfilled");
    expect(judged).toContainEqual({ password: good, name: "Byron", email: "ada@example.com" });
    await register();
    await expect.poll(() => sent.length).toBe(1);
  },
);

test("RG-04 AU-07 under an empty password nothing is ticked off", { tags: "prove" }, async () => {
  const details = [{ requirement: "At most 256 characters", fulfilled: true }];
  const { screen, field } = await open("/sign-up", {
    "PUT /api/auth/evaluate_password": { status: 200, body: { fulfilled: true, details } },
  });
  const chip = screen.getByRole("list", { name: "Password requirements" }).getByRole("listitem");
  await expect.poll(() => chip.element().textContent).toBe("At most 256 characters");
  await field("Password").fill("x");
  await expect.element(chip).toHaveTextContent("At most 256 characters – fulfilled");
  await field("Password").fill("");
  await expect.poll(() => chip.element().textContent).toBe("At most 256 characters");
});

test.each<[string, string, StubbedResponses]>(
  everyNth(3, [
    ["sign-up", "/sign-up", {}],
    ["an invitation", link, { [`GET /api${link}`]: invitation() }],
    ["a locked address", link, { [`GET /api${link}`]: invitation({ readonlyAddress: true }) }],
  ]),
)(
  "RG-04 differing passwords are reported although the rest of %s is empty, and after it was sent",
  async (_, address_, answers) => {
    const { screen, passwords, register } = await open(address_, answers);
    await passwords(good, "other");
    expect(screen.getByText("Password does not match").query()).toBeNull();
    await userEvent.tab();
    await expect.element(screen.getByText("Password does not match")).toBeVisible();
    await register();
    await expect.element(screen.getByText("First name is required")).toBeVisible();
    await expect.element(screen.getByText("Please tick the checkbox").first()).toBeVisible();
    await expect.element(screen.getByText("Password does not match")).toBeVisible();
    await passwords();
    await expect.element(screen.getByText("Password does not match")).not.toBeInTheDocument();
  },
);

test(
  "RG-03 sign-up explains its purpose, sends e-mail and supplier, then waits for review",
  { tags: "prove" },
  async () => {
    const sent: unknown[] = [];
    const { screen, fill, passwords, tickBoth, register } = await open("/sign-up", {
      "POST /api/account/registration": (body) => ({ status: 200, body: (sent.push(body), {}) }),
    });
    await expect.element(screen.getByRole("heading", { level: 1 })).toHaveTextContent("Sign up");
    await expect
      .element(
        screen.getByText("Create an account to manage your sensors and unlock exclusive platform-only features!"),
      )
      .toBeVisible();
    await fill([
      ...person,
      ["Organization", "Byron"],
      ["Phone Number", "112"],
      ...address,
      ["Email", " ada@example.com "],
      ["Supplier", "Sensor Shop, Leeds"],
    ]);
    await passwords();
    await tickBoth();
    await register();
    const alert = screen.getByRole("alert");
    await expect
      .element(alert)
      .toHaveTextContent("Submission successful! Your account is waiting for approval by our support team...");
    await expect.element(alert).toHaveFocus();
    expect(screen.getByRole("button", { name: "Register" }).query()).toBeNull();
    expect(sent).toMatchObject([
      { supplier: "Sensor Shop, Leeds", credentials: { email: "ada@example.com", password: good } },
    ]);
  },
);

test("RG-03 after too many sign-ups people are asked to wait", { tags: "prove" }, async () => {
  const { screen, fill, passwords, tickBoth, register } = await open("/sign-up", {
    "POST /api/account/registration": { status: 429, body: { code: 306, error: "No permission." } },
  });
  await fill([...person, ["Organization", "Byron"], ["Phone Number", "112"], ...address, ["Email", "a@example.com"]]);
  await passwords();
  await tickBoth();
  await register();
  await expect
    .element(screen.getByRole("alert"))
    .toHaveTextContent("Rate limit reached. Please wait 1 minute before trying again.");
});

test("RG-04 documents open in a new tab, and a reload keeps everything but passwords", { tags: "prove" }, async () => {
  const first = await open("/login");
  await first.screen.getByRole("link", { name: "Sign up" }).click();
  await expect.poll(first.address).toBe("/sign-up");
  for (const [name, href] of [
    ["data protection policy", "/privacy"],
    ["Data Processing Agreement", "/data-processing-agreement"],
    ["End User License Agreement", "/end-user-license-agreement"],
  ] as const) {
    const document = first.screen.getByRole("link", { name: `${name} (opens in a new tab)` });
    await expect.element(document).toHaveAttribute("href", href);
    await expect.element(document).toHaveAttribute("target", "_blank");
  }
  await first.fill([...person, ["Email", "ada@example.com"]]);
  await first.passwords();
  await userEvent.tab();
  expect(JSON.stringify({ ...sessionStorage, ...localStorage })).not.toContain("geese");
  await first.screen.unmount();
  const second = await open("/sign-up");
  for (const [label, value] of [...person, ["Email", "ada@example.com"], ["Password", ""]] as const)
    await expect.element(second.field(label)).toHaveValue(value);
  await second.screen.unmount();
  const other = await open(link, { [`GET /api${link}`]: invitation() });
  await expect.element(other.field("First Name")).toHaveValue("");
});

test("RG-04 fields have autocomplete values, and countries are suggested in Latin letters", async () => {
  const { field } = await open("/sign-up");
  for (const [label, token] of [
    ["First Name", "given-name"],
    ["Family Name", "family-name"],
    ["Organization", "organization"],
    ["Phone Number", "tel"],
    ["Postal Code", "postal-code"],
    ["City", "address-level2"],
    ["Country", "country-name"],
    ["Email", "email"],
    ["Password", "new-password"],
    ["Confirm Password", "new-password"],
  ] as const)
    await expect.element(field(label)).toHaveAttribute("autocomplete", token);
  const list = (field("Country").element() as HTMLInputElement).list;
  const names = [...(list?.options ?? [])].map(({ value }) => value);
  expect(names.length).toBeGreaterThan(190);
  expect(names).toEqual(expect.arrayContaining(["Germany", "United States", "Saint Lucia", "Trinidad and Tobago"]));
});
