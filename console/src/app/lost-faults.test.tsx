// Tests that refused changes keep the input or restore the old value, and show the last error.
import { clientErrors, errorEntry, serverErrors, type ServerErrorCode } from "@psp/contract/errors.ts";
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { ids, ownAccount, sensorApiPath, sensorWith, createServerStub } from "../sensor/sensor.testing.ts";
import { type StubbedResponse, type StubbedResponses, notFound, openConsole } from "../testing/console.tsx";
import { listResponse, plainAccount, plainFirmware, plainLocation } from "../testing/objects.ts";
import { everyNth } from "@psp/contract/kit/rounds.testing.ts";

const below = { me: true, myChildren: true };
const allOf = {
  canViewObject: below,
  canEditObject: below,
  canDeleteObject: below,
  canCreateObjectFor: below,
  canChangeOwner: { from: below, to: below },
};
const all: Permissions = {
  owner: { canViewOwner: below, canCreateOwner: true, canEditOwner: below, canDeleteOwner: below },
  other: { canAssignSensors: below, canUseArtifact: below, canAssignRoles: below },
  ownable: { sensor: allOf, measurement: allOf, artifact: allOf, role: allOf },
};

const id = (end: string) => `00000000-0000-4000-8000-0000000000${end}`;
const owner = { _id: ids.self, name: ownAccount.name, isDeleted: false };
const common = { owner, isDeleted: false, version: 1 };
const role = { ...common, _id: id("e1"), name: "Guard", permissions: {} };
const token = { ...common, _id: id("e2"), name: "Box", artifact: null, token: "secret" };
const branch = plainAccount({
  _id: id("e3"),
  name: "Branch",
  parentAccounts: [ids.root, ids.self],
  role: { _id: role._id, name: role.name, owner: null },
});
const place = plainLocation({ _id: ids.place, name: "Gate", owner });
const firmware = plainFirmware({ _id: ids.firmware, name: "1.18.0", owner });
const sensor = sensorWith();
// Only the operator's account can grant licenses.
const operator = { ...ownAccount, parentAccounts: [], permissions: all, email: "self@example.com" };

const refusal = (code: ServerErrorCode, requestId: string): StubbedResponse => {
  const { status, message } = errorEntry(code);
  return { status, body: { code, error: message, requestId } };
};
const faults: [StubbedResponse, string][] = [
  [refusal(305, "r-403"), `${serverErrors.noEdit.message} Request r-403`],
  [refusal(109, "r-409"), `${serverErrors.nameUsed.message} Request r-409`],
  [refusal(101, "r-500"), `${serverErrors.internalError.message} Request r-500`],
  [{ status: 0 }, clientErrors.serverConnectionError.message],
];

type Case = {
  what: string;
  at: string;
  call: string;
  title: string;
  /** Enters input once, before the first attempt. */
  enter?: () => Promise<unknown>;
  /** Tries to save. Called once per refusal. */
  send: () => Promise<unknown>;
  /** Expectations that must hold after each refusal. */
  holds: () => Promise<unknown>;
  more?: StubbedResponses;
  /** Set for a slow case that is similar to a faster one. */
  tags?: "prove";
};

const field = (label: string) => page.getByRole("textbox", { name: label, exact: true });
const press = (name: string) => page.getByRole("button", { name, exact: true }).click();

/** A text field keeps its input and can be sent again. */
const typed = (label: string, text: string, button: string) => ({
  enter: () => userEvent.fill(field(label), text),
  send: () => press(button),
  holds: async () => {
    await expect.element(field(label)).toHaveValue(text);
    await expect
      .element(page.getByRole("button", { name: button, exact: true }))
      .toHaveAttribute("aria-disabled", "false");
  },
});

/** A switch that saves immediately shows its old value again. */
const switched = (name: string) => {
  const it = () => page.getByRole("switch", { name, exact: true });
  return {
    send: async () => {
      await expect.element(it()).toBeEnabled();
      await it().click();
    },
    holds: () => expect.element(it()).not.toBeChecked(),
  };
};

const put = (path: string) => `PUT /api/${path}`;
const failedTo = (what: string) => `Failed to ${what}.`;

const cases: Case[] = [
  {
    what: "the groups of a sensor",
    at: `/sensor/aps/${ids.sensor}/general`,
    call: `PUT ${sensorApiPath}`,
    title: failedTo("update sensor"),
    enter: async () => {
      await userEvent.fill(page.getByLabelText("Groups"), "north");
      await userEvent.keyboard("{Enter}");
    },
    send: () => press("Save"),
    holds: () => expect.element(page.getByText("north", { exact: true })).toBeVisible(),
  },
  {
    what: "a location's name",
    tags: "prove",
    at: `/location/${ids.place}/general`,
    call: put(`measurement/${ids.place}`),
    title: failedTo("update location"),
    ...typed("Name", "Gate 2", "Save"),
  },
  {
    what: "a role's name",
    tags: "prove",
    at: `/role/${role._id}`,
    call: put(`role/${role._id}`),
    title: failedTo("update role"),
    ...typed("Name", "Guard 2", "Save"),
  },
  {
    what: "a token's name",
    tags: "prove",
    at: `/init-token/${token._id}`,
    call: put(`init_token/${token._id}`),
    title: failedTo("update sensor token"),
    ...typed("Name", "Box 2", "Save"),
  },
  {
    what: "an account's name",
    tags: "prove",
    at: `/account/${branch._id}`,
    call: put(`account/${branch._id}`),
    title: failedTo("update account"),
    ...typed("Name", "Branch 2", "Save"),
  },
  {
    what: "a firmware's version",
    tags: "prove",
    at: `/firmware/${firmware._id}`,
    call: put(`artifact/${firmware._id}`),
    title: failedTo("update firmware"),
    ...typed("Semantic version", "1.19.0", "Save"),
  },
  {
    what: "a new location",
    tags: "prove",
    at: "/location/new",
    call: "POST /api/measurement",
    title: failedTo("create new location"),
    ...typed("Name", "Gate 3", "Create"),
  },
  {
    what: "a new token",
    at: "/init-token/new",
    call: "POST /api/init_token",
    title: failedTo("create new sensor token"),
    ...typed("Name", "Box 3", "Create"),
  },
  {
    what: "the end of a role",
    at: `/role/delete/${role._id}`,
    call: `DELETE /api/role/${role._id}`,
    title: failedTo("delete role"),
    send: () => press("Delete"),
    holds: () => expect.element(page.getByRole("alertdialog", { name: "Delete Role" })).toBeVisible(),
  },
  {
    what: "the license of a sensor",
    at: `/sensor/aps/${ids.sensor}/general`,
    call: `PUT ${sensorApiPath}/licenses`,
    title: failedTo("update sensor"),
    more: { "GET /api/auth/user": { status: 200, body: operator } },
    ...switched("Monitoring license"),
  },
  {
    what: "a license of a location",
    tags: "prove",
    at: `/location/${ids.place}/general`,
    call: put(`measurement/${ids.place}/licenses`),
    title: failedTo("update location"),
    more: { "GET /api/auth/user": { status: 200, body: operator } },
    ...switched("Occupancy license"),
  },
  {
    what: "the weekly report",
    at: "/myaccount",
    call: put("auth/weekly-report"),
    title: "The setting could not be saved",
    ...switched("Weekly report by e-mail"),
  },
];

const one = (body: object): StubbedResponse => ({ status: 200, body });
const server: StubbedResponses = {
  "GET /api/v2/measurement": listResponse([place]),
  [`GET /api/measurement/${place._id}`]: one(place),
  "GET /api/role": listResponse([role]),
  [`GET /api/role/${role._id}`]: one(role),
  [`PUT /api/role/${role._id}/preview`]: notFound,
  [`PUT /api/role/${role._id}/stronger`]: notFound,
  "GET /api/init_token": listResponse([token]),
  [`GET /api/init_token/${token._id}`]: one(token),
  [`GET /api/account/${branch._id}`]: one(branch),
  [`GET /api/artifact/${firmware._id}`]: one(firmware),
  "GET /api/auth/sessions": one([]),
  "GET /api/auth/remote-consent": { status: 200, body: { required: false } },
  "GET /api/auth/feed-token": { status: 200, body: { createdAt: null } },
  "GET /api/auth/weekly-report": one({ enabled: false, nextAt: null, timezone: "UTC" }),
};

for (const { what, tags = [], at, call, title, enter, send, holds, more } of cases)
  test(
    `ER-02 ${what}: input survives 403, 409, 500 and a lost connection, each shown with its reason`,
    { tags },
    async () => {
      let fault: StubbedResponse = notFound;
      let tries = 0;
      const refuse = () => {
        tries += 1;
        return fault;
      };
      await openConsole(at, createServerStub(sensor, all, { ...server, ...more, [call]: refuse }));
      await enter?.();
      for (const [index, [answer, reason]] of faults.entries()) {
        fault = answer;
        await send();
        const message = page.getByRole("alert").filter({ hasText: title });
        await expect.element(message.getByText(reason)).toBeVisible();
        expect(message.elements()).toHaveLength(1);
        await holds();
        expect(tries).toBe(index + 1);
      }
    },
  );

test.each(
  everyNth(
    3,
    cases.filter(({ what }) => what.includes("license") || what.includes("weekly")),
  ),
)(
  "ER-02 $what shows what was asked for, and that it is on its way, until it is refused",
  async ({ at, call, send, holds, more }) => {
    const refused = Promise.withResolvers<StubbedResponse>();
    await openConsole(at, createServerStub(sensor, all, { ...server, ...more, [call]: () => refused.promise }));
    await send();
    await expect.element(page.getByRole("progressbar", { name: /^Saving/ })).toBeVisible();
    await expect.element(page.getByRole("switch", { checked: true })).toHaveAttribute("aria-disabled", "true");
    refused.resolve(refusal(305, "r-1"));
    await holds();
    await expect.element(page.getByRole("progressbar", { name: /^Saving/ })).not.toBeInTheDocument();
  },
);

test(
  "ER-02 the message about a refused save stays until it is closed, also over a save that succeeds",
  { tags: "prove" },
  async () => {
    let answer: StubbedResponse = { status: 0 };
    const change = put(`measurement/${place._id}`);
    await openConsole(
      `/location/${place._id}/general`,
      createServerStub(sensor, all, { ...server, [change]: () => answer }),
    );
    await userEvent.fill(field("Name"), "Gate 2");
    await press("Save");
    const message = page.getByRole("alert").filter({ hasText: failedTo("update location") });
    await expect.element(message).toBeVisible();
    answer = { status: 200, body: { ...place, name: "Gate 2", version: 2 } };
    await press("Save");
    await expect.element(page.getByRole("button", { name: "Undo" })).toBeVisible();
    await expect.element(message).toBeVisible();
    await message.getByRole("button", { name: "Close" }).click();
    await expect.element(message).not.toBeInTheDocument();
  },
);

test("ER-02 on the phone the message of a failed save does not cover the buttons that save it again", async () => {
  await page.viewport(390, 700);
  const change = put(`measurement/${place._id}`);
  await openConsole(
    `/location/${place._id}/general`,
    createServerStub(sensor, all, { ...server, [change]: { status: 0 } }),
  );
  await userEvent.fill(field("Name"), "A gate with a long name that nothing else has");
  await press("Save");
  const message = page.getByRole("alert").filter({ hasText: failedTo("update location") });
  await expect.element(message).toBeVisible();
  const bar = page.getByRole("region", { name: "Unsaved changes" }).element().getBoundingClientRect();
  // Message and bar are animated, so wait until they don't overlap.
  await expect.poll(() => message.element().getBoundingClientRect().bottom <= bar.top).toBe(true);
});
