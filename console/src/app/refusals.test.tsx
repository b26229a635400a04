// Tests what users see when the server refuses, fails or can't be reached, and when there is nothing to select.
import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import { type StubbedResponse, type StubbedResponses, notFound, openConsole } from "../testing/console.tsx";
import { listResponse, plainAccount, plainFirmware, plainLocation, plainSensor } from "../testing/objects.ts";
import { everyNth } from "@psp/contract/kit/rounds.testing.ts";

const everyone = { me: true, myChildren: true };
const allOf = {
  canViewObject: everyone,
  canEditObject: everyone,
  canDeleteObject: everyone,
  canCreateObjectFor: everyone,
  canChangeOwner: { from: everyone, to: everyone },
};
const everything: Permissions = {
  other: { canAssignRoles: everyone, canAssignSensors: everyone },
  ownable: { role: allOf, sensor: allOf, measurement: allOf, artifact: allOf },
  owner: { canCreateOwner: true, canViewOwner: everyone, canEditOwner: everyone, canDeleteOwner: everyone },
};

const id = (n: number) => `00000000-0000-7000-8000-00000000000${n}`;
const owner = { _id: id(1), name: "Northwind", isDeleted: false };
const common = { isDeleted: false, version: 1 };
const account = (n: number, name: string, parentAccounts: string[]) =>
  plainAccount({
    _id: id(n),
    name,
    role: { _id: id(8), name: "Janitor", owner: null },
    credentials: [{ email: `a${n}@example.com` }],
    registrationInfo: [{ stepReached: 2, legal: null, credentials: { email: `a${n}@example.com` } }],
    parentAccounts,
  });
const me = { ...account(1, "Northwind", [id(9)]), role: { _id: id(7), name: "Boss", owner: null } };
const branch = account(2, "Branch", [id(9), id(1)]);
const role = { ...common, _id: id(8), name: "Janitor", owner, permissions: {} };
const token = { ...common, _id: id(5), name: "Roll-out", owner, artifact: null };
const place = plainLocation({ _id: id(6), name: "Harbour Shop", owner });
const sensor = plainSensor({ _id: "02:00:00:00:7A:01", owner });
const sensorAddress = `/api/sensor/${encodeURIComponent(sensor._id)}`;
const firmware = plainFirmware({ _id: id(3), name: "1.19.0", owner });
const list = (...objects: object[]) => listResponse(objects);

function open(address: string, permissions: Permissions | null = everything, more: StubbedResponses = {}) {
  return openConsole(address, {
    "GET /api/auth/user": { status: 200, body: { ...me, permissions, email: "a1@example.com" } },
    "GET /api/account": list(me, branch),
    "GET /api/role": list(role),
    "GET /api/init_token": list(token),
    "GET /api/v2/measurement": list(place),
    "GET /api/v2/sensor": list(sensor),
    "GET /api/artifact": list(firmware),
    [`GET /api/account/${branch._id}`]: { status: 200, body: branch },
    [`GET /api/role/${role._id}`]: { status: 200, body: role },
    [`GET /api/init_token/${token._id}`]: { status: 200, body: token },
    [`GET /api/measurement/${place._id}`]: { status: 200, body: place },
    [`GET /api/artifact/${firmware._id}`]: { status: 200, body: firmware },
    [`GET ${sensorAddress}`]: { status: 200, body: sensor },
    [`PUT /api/role/${role._id}/stronger`]: notFound,
    [`PUT /api/role/${role._id}/preview`]: notFound,
    "GET /api/v2/counts": notFound,
    ...more,
  });
}
type Screen = Awaited<ReturnType<typeof open>>["screen"];

async function rename(screen: Screen) {
  await screen.getByRole("textbox", { name: "Name", exact: true }).fill("Another name");
}
const anotherVersion = (screen: Screen) => screen.getByRole("textbox", { name: "Semantic version" }).fill("1.20.0");
const press = (name: string) => (screen: Screen) => screen.getByRole("button", { name, exact: true }).click();
const typeBranch = (screen: Screen) => screen.getByLabelText("Type Branch to confirm").fill("Branch");
async function chooseOwner(screen: Screen) {
  await rename(screen);
  await screen.getByRole("combobox", { name: "Owner" }).click();
  await screen.getByRole("option", { name: /^Branch/ }).click();
}

type Work = [title: string, address: string, call: string, fill: (screen: Screen) => Promise<void>, button: string];
const nothing = async () => {};
const works: Work[] = [
  [
    "Failed to create new account.",
    "/account/new",
    "POST /api/account",
    async (screen) => {
      await rename(screen);
      await screen.getByRole("textbox", { name: "Email" }).fill("new@example.com");
    },
    "Create",
  ],
  ["Failed to update account.", `/account/${branch._id}`, `PUT /api/account/${branch._id}`, rename, "Save"],
  [
    "Failed to delete account.",
    `/account/delete/${branch._id}`,
    `DELETE /api/account/${branch._id}`,
    typeBranch,
    "Delete",
  ],
  ["Failed to create new role.", "/role/new", "POST /api/role", chooseOwner, "Create"],
  ["Failed to update role.", `/role/${role._id}`, `PUT /api/role/${role._id}`, rename, "Save"],
  ["Failed to delete role.", `/role/delete/${role._id}`, `DELETE /api/role/${role._id}`, nothing, "Delete"],
  ["Failed to create new sensor token.", "/init-token/new", "POST /api/init_token", chooseOwner, "Create"],
  ["Failed to update sensor token.", `/init-token/${token._id}`, `PUT /api/init_token/${token._id}`, rename, "Save"],
  [
    "Failed to delete sensor token.",
    `/init-token/delete/${token._id}`,
    `DELETE /api/init_token/${token._id}`,
    nothing,
    "Delete",
  ],
  ["Failed to create new location.", "/location/new", "POST /api/measurement", chooseOwner, "Create"],
  ["Failed to update location.", `/location/${place._id}/general`, `PUT /api/measurement/${place._id}`, rename, "Save"],
  [
    "Failed to delete location.",
    `/location/delete/${place._id}`,
    `DELETE /api/measurement/${place._id}`,
    nothing,
    "Delete",
  ],
  ["Failed to delete sensor.", `/sensor/delete/${sensor._id}`, `DELETE ${sensorAddress}`, nothing, "Delete"],
  [
    "Failed to update firmware.",
    `/firmware/${firmware._id}`,
    `PUT /api/artifact/${firmware._id}`,
    anotherVersion,
    "Save",
  ],
  [
    "Failed to delete firmware.",
    `/firmware/delete/${firmware._id}`,
    `DELETE /api/artifact/${firmware._id}`,
    nothing,
    "Delete",
  ],
];
const failures: [answer: StubbedResponse, text: string][] = [
  [
    { status: 403, body: { code: 305, error: "No permission to edit the given entity.", requestId: "r-7" } },
    "No permission to edit the given entity. Request r-7",
  ],
  [{ status: 409, body: { code: 109, error: "Name is already used." } }, "Name is already used."],
  [
    { status: 500, body: { code: 101, error: "An internal server error occured." } },
    "An internal server error occured.",
  ],
  [
    { status: 429, body: { code: 306, error: "No permission.", details: { retryAfter: 61 } } },
    "Rate limit reached. Please wait 2 minutes before trying again.",
  ],
  // A response without a code isn't from our server; its status line isn't shown.
  [{ status: 413, statusText: "Request Entity Too Large", body: "<html>" }, "Your request is too large."],
  [{ status: 403, statusText: "Forbidden", body: "<html>" }, "The request failed."],
  [{ status: 502, statusText: "Bad Gateway", body: "<html>" }, "No connection to server."],
  [{ status: 0 }, "No connection to server."],
];

async function showsEachRefusal(...[title, address, call, fill, button]: Work) {
  let answer: StubbedResponse = { status: 500 };
  const { screen } = await open(address, everything, { [call]: () => answer });
  await expect
    .element(
      screen
        .getByRole("button", { name: button, exact: true })
        .or(screen.getByRole("heading", { level: 1 }))
        .first(),
    )
    .toBeVisible();
  await fill(screen);
  for (const [next, text] of failures) {
    answer = next;
    await press(button)(screen);
    const alert = screen.getByRole("alert").filter({ hasText: title });
    await expect.element(alert.getByText(text, { exact: true })).toBeVisible();
    expect(alert.elements()).toHaveLength(1);
    await alert.getByRole("button", { name: "Close" }).click();
    await expect.element(alert).not.toBeInTheDocument();
  }
}
/** All dialogs show refusals with the same code, so the short test run tries only one. See also lost-faults.test.tsx. */
const inShort = new Set(["Failed to delete role."]);
for (const work of works)
  test(
    `ER-01 ER-02 ${work[0]} with the server's text, until it is closed`,
    { tags: inShort.has(work[0]) ? [] : "prove" },
    () => showsEachRefusal(...work),
  );

test.each(
  everyNth(6, [
    ["role", "Porter", { type: "role", id: role._id, name: "Porter" }, `/role/${role._id}`],
    ["account", "Northwind", { type: "account", id: branch._id, name: "Northwind" }, `/account/${branch._id}`],
    ["location", "Shop", { type: "measurement", id: place._id, name: "Shop" }, `/location/${place._id}/general`],
    ["firmware", "1.19.0", { type: "artifact", id: firmware._id, name: "1.19.0" }, `/firmware/${firmware._id}`],
    ["init token", "Roll-out", { type: "init-token", id: token._id, name: "Roll-out" }, `/init-token/${token._id}`],
    ["sensor", sensor._id, { type: "sensor", id: sensor._id, name: sensor._id }, /^\/sensor\/aps\/.+\/general$/],
  ]),
)("ER-02 a refusal that names a %s says why and leads there", async (_what, name, object, path) => {
  const reason = `It belongs to ${name}, which you can't use.`;
  const { screen, address } = await open(`/account/delete/${branch._id}`, everything, {
    [`DELETE /api/account/${branch._id}`]: {
      status: 403,
      body: {
        code: 304,
        error: "No permission to delete the given entity.",
        requestId: "r-8",
        details: { reason, object },
      },
    },
  });
  await typeBranch(screen);
  await press("Delete")(screen);
  const alert = screen.getByRole("alert").filter({ hasText: "Failed to delete account." });
  await expect
    .element(alert.getByText(`No permission to delete the given entity. ${reason} Request r-8`, { exact: true }))
    .toBeVisible();
  await alert.getByRole("link", { name, exact: true }).click();
  await expect.poll(address).toMatch(path);
});

const noRoles = { "GET /api/role": list() };
const noAccounts = { "GET /api/account": list() };
const without = (change: (permissions: typeof everything) => void): Permissions => {
  const copy = structuredClone(everything);
  change(copy);
  return copy;
};
const onlyMe = { me: true };
const blind = without((p) => {
  p.ownable = { ...p.ownable, role: { ...allOf, canViewObject: {}, canCreateObjectFor: {} } };
});
const noneAssignable = without((p) => void (p.other = {}));
const cantCreate = without((p) => {
  for (const type of ["role", "sensor", "measurement"] as const)
    p.ownable = { ...p.ownable, [type]: { ...allOf, canCreateObjectFor: { roles: [id(4)] } } };
});
const keepsOwners = (set: { from: object; to: object }) =>
  without((p) => {
    for (const type of ["role", "sensor", "measurement", "artifact"] as const)
      p.ownable = { ...p.ownable, [type]: { ...allOf, canChangeOwner: set } };
  });

type Cause = {
  code: number;
  what: string;
  at: string;
  permissions?: Permissions;
  answers?: StubbedResponses;
  says: string;
  /** The action that the toast offers, except to users with the permissions `not`. */
  offers?: { label: string; to: string; not: Permissions };
};
const edits = [
  ["role", `/role/${role._id}`],
  ["sensor token", `/init-token/${token._id}`],
  ["location", `/location/${place._id}/general`],
  ["firmware", `/firmware/${firmware._id}`],
] as const;
const seesNoAccounts = (permissions: Permissions): Permissions => ({
  ...permissions,
  owner: { ...permissions.owner, canViewOwner: onlyMe },
});
const ownersMissing: [at: string, noAccount: string, createForEmpty: string][] = [
  [
    "/role/new",
    "You can't create a role because no account exists.",
    "You can not create a role because there is no account you can create it for.",
  ],
  [
    "/init-token/new",
    "There is no account existing that you can create a sensor token for.",
    "You have no permission to create a sensor token with any existing account as owner.",
  ],
  [
    "/location/new",
    "There is no account existing that you can create a location for.",
    "You have no permission to create a location with any existing account as owner.",
  ],
];
const causes: Cause[] = [
  ...ownersMissing.flatMap(([at, noAccount, createForEmpty]): Cause[] => [
    { code: 2, what: `no owner to create it for at ${at}`, at, permissions: cantCreate, says: createForEmpty },
    {
      code: 3,
      what: `no account at ${at}`,
      at,
      permissions: cantCreate,
      answers: noAccounts,
      says: noAccount,
      offers: { label: "New account", to: "/account/new", not: seesNoAccounts(cantCreate) },
    },
  ]),
  {
    code: 5,
    what: "no role for a new account",
    at: "/account/new",
    answers: noRoles,
    says: "You can not create an account because no role exists.",
    offers: { label: "New role", to: "/role", not: blind },
  },
  {
    code: 5,
    what: "no role for accounts that are imported",
    at: "/account/import",
    answers: noRoles,
    says: "You can not create an account because no role exists.",
    offers: { label: "New role", to: "/role", not: blind },
  },
  {
    code: 6,
    what: "no role to give to a new account",
    at: "/account/new",
    permissions: noneAssignable,
    says: "You can not create an account because you have no role to assign to the new account.",
  },
];

test.each([
  [
    5,
    "there is no role",
    everything,
    noRoles,
    "You can not change the account's role because there is no role existing.",
  ],
  [
    6,
    "no role can be given",
    noneAssignable,
    {},
    "You can not change the account's role because you have no roles to assign.",
  ],
])(
  "ER-01 client code %i: %s when a review opens; it can be decided all the same",
  async (_code, _what, rights, answers, says) => {
    const legal = {
      firstName: "Ada",
      familyName: "Byron",
      department: "",
      dpaAcceptedAt: "2026-01-02T10:00:00Z",
      eulaAcceptedAt: "2026-01-02T10:00:00Z",
      dpaVersion: "2024-06-01",
    };
    const waiting = {
      ...branch,
      registrationInfo: [{ stepReached: -1, legal, credentials: { email: "ada@example.com" } }],
    };
    const { screen } = await open(`/account/review/${branch._id}`, rights, {
      ...answers,
      [`GET /api/account/${branch._id}`]: { status: 200, body: waiting },
    });
    await expect.element(screen.getByRole("alert").getByText(says, { exact: true })).toBeVisible();
    const dialog = screen.getByRole("dialog", { name: "Review account" });
    await expect.element(dialog.getByRole("button", { name: "Reject" })).toBeVisible();
  },
);

async function saysWhyNot({ at, permissions, answers, says, offers }: Cause) {
  const { screen, address } = await open(at, permissions ?? everything, answers);
  const alert = screen.getByRole("alert").filter({ hasText: says });
  await expect.element(alert.getByText(says, { exact: true })).toBeVisible();
  await expect.poll(address).toBe(at.replace(/\/(?:new|import)$/, ""));
  expect(screen.getByRole("dialog").elements()).toEqual([]);
  if (offers === undefined) {
    await alert.getByRole("button", { name: "Close" }).click();
    await expect.element(alert).not.toBeInTheDocument();
    return;
  }
  await alert.getByRole("button", { name: offers.label }).click();
  await expect.poll(address).toMatch(new RegExp(`^${offers.to}`));
  await screen.unmount();
  const poor = await open(at, offers.not, answers);
  await expect.element(poor.screen.getByRole("alert").getByText(says, { exact: true })).toBeVisible();
  expect(poor.screen.getByRole("button", { name: offers.label }).elements()).toEqual([]);
}
for (const cause of causes)
  test(
    `ER-01 ER-02 client code ${cause.code}: ${cause.what}`,
    // A slow page with the same messages as others.
    { tags: cause.at === "/location/new" ? "prove" : [] },
    () => saysWhyNot(cause),
  );

const ownerCauses: [
  code: number,
  what: string,
  Permissions,
  StubbedResponses,
  says: (noun: string) => string,
  shortcut: boolean,
][] = [
  [
    1,
    "the owner may not be changed",
    keepsOwners({ from: {}, to: everyone }),
    {},
    (noun) => `You have no permission to change the ${noun}'s owner.`,
    false,
  ],
  [
    4,
    "no one may become the owner",
    keepsOwners({ from: everyone, to: {} }),
    {},
    () => "You have no permission to make any account the owner.",
    false,
  ],
  [3, "there is no other account", everything, { "GET /api/account": list(me) }, () => "No account exists.", true],
];
const ownerCases = ownerCauses.flatMap(([code, what, ...rest]) =>
  edits.map(([noun, at]) => [code, what, noun, at, ...rest] as const),
);
test.each(everyNth(8, ownerCases))(
  "ER-01 ER-02 client code %i: %s of a %s",
  async (_code, _what, noun, at, permissions, answers, says, shortcut) => {
    const { screen } = await open(at, permissions, answers);
    const field = screen.getByRole("combobox", { name: "Owner" });
    await expect.element(field).toHaveValue("Northwind");
    await expect.element(field).not.toHaveAttribute("readonly");
    await field.click();
    await expect.element(screen.getByRole("alert").getByText(says(noun), { exact: true })).toBeVisible();
    const ways = screen.getByRole("alert").getByRole("button", { name: "New account" });
    expect(ways.elements()).toHaveLength(shortcut ? 1 : 0);
  },
);

test("ER-01 client code 11: a console that finds no server at its start says so, with a way to try again", async () => {
  const { screen } = await open("/location", everything, { "GET /api/auth/user": { status: 0 } });
  await expect.element(screen.getByText(/No connection to server/).first()).toBeVisible();
  await expect.element(screen.getByRole("button", { name: /try again/i })).toBeVisible();
});

const broken: StubbedResponse = { status: 500, body: { code: 100, error: "A database error occured." } };
type Select = [field: string, at: string, call: string, found: object, option: RegExp];
const selects: Select[] = [
  ["Owner", "/sensor", "GET /api/account", branch, /^Branch/],
  ["Firmware", "/sensor", "GET /api/artifact", firmware, /^APS 1\.19\.0/],
  ["Location", "/sensor", "GET /api/v2/measurement", place, /^Harbour Shop/],
  ["Role", "/account", "GET /api/role", role, /^Janitor/],
];
async function triesAgain(...[field, at, call, found, option]: Select) {
  let answer = broken;
  const { screen } = await open(at, everything, { [call]: () => answer });
  await screen.getByRole("button", { name: /^Filters/ }).click();
  const box = screen.getByRole("combobox", { name: field, exact: true });
  await box.click();
  const failed = screen.getByRole("alert").filter({ hasText: "Search failed" });
  await expect.element(failed).toBeVisible();
  answer = list(found);
  await failed.getByRole("button", { name: "Try again" }).click();
  await screen.getByRole("option", { name: option }).click();
  await expect.element(box).not.toHaveValue("");
}
for (const [index, select] of selects.entries())
  test(
    `ER-02 a search for the filter ${select[0]} that fails says so in the list, which can try again`,
    { tags: index === 0 ? [] : "prove" },
    () => triesAgain(...select),
  );

test("ER-02 opening the list of a failed search again repeats the search", { tags: "prove" }, async () => {
  let answer = broken;
  const { screen } = await open("/account", everything, { "GET /api/role": () => answer });
  await screen.getByRole("button", { name: /^Filters/ }).click();
  const box = screen.getByRole("combobox", { name: "Role" });
  await box.click();
  await expect.element(screen.getByText("Search failed")).toBeVisible();
  await userEvent.keyboard("{Escape}");
  answer = list(role);
  await userEvent.keyboard("{ArrowDown}");
  await expect.element(screen.getByRole("option", { name: /^Janitor/ })).toBeVisible();
});

type Gate = [at: string, calls: string, title: string, field: string, permissions: Permissions];
const gates: Gate[] = [
  ["/role/new", "GET /api/rights/creation and GET /api/account", "New Role", "Owner", cantCreate],
  ["/account/new", "GET /api/role", "New Account", "Role", everything],
  ["/account/import", "GET /api/role", "Import accounts", "Role", everything],
];
async function opensAndSaysWhatFailed(...[at, calls, title, field, permissions]: Gate) {
  const failing = Object.fromEntries(calls.split(" and ").map((call) => [call, broken]));
  const { screen } = await open(at, permissions, failing);
  const dialog = screen.getByRole("dialog", { name: title });
  await expect.element(dialog).toBeVisible();
  await dialog.getByRole("combobox", { name: field }).click();
  await expect.element(screen.getByText("Search failed")).toBeVisible();
}
for (const [index, gate] of gates.entries())
  test(
    `ER-02 ${gate[0]} opens, and its select says what failed, when ${gate[1]} doesn't tell who may do it`,
    { tags: index === 0 ? [] : "prove" },
    () => opensAndSaysWhatFailed(...gate),
  );
