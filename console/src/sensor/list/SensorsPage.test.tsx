// Tests the sensor list: filters, sort order, paging, problem counts and columns, with stubbed responses.
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import { expect, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { queryClient } from "../../api/query-client.ts";
import { type StubbedResponse, type StubbedResponses, openConsole } from "../../testing/console.tsx";
import { listResponse, plainAccount, plainSensor } from "../../testing/objects.ts";
import { openSelect } from "../../testing/select.ts";
import { typeInto } from "../../testing/type.ts";

const viewing = { canViewObject: { me: true, myChildren: true } };
const permissions: Permissions = { owner: { canViewOwner: { me: true } }, ownable: { sensor: viewing } };
const me = plainAccount({
  _id: "00000000-0000-7000-8000-000000000001",
  name: "Northwind",
  role: { _id: "00000000-0000-7000-8000-000000000007", name: "Boss", owner: null },
});

const options = () =>
  page
    .getByRole("option")
    .elements()
    .map((option) => option.textContent);

const counts = (reported: Record<string, number>): StubbedResponse => ({
  status: 200,
  body: {
    totalByInfoFirmware: Object.entries(reported).map(([_id, count]) => ({ _id, count })),
    totalByScomState: [],
    totalByType: [],
    totalByMonitoringLicense: [],
    totalByInstallation: [],
    totalByLastContact: [],
  },
});
const server = (more: StubbedResponses): StubbedResponses => ({
  "GET /api/auth/user": { status: 200, body: { ...me, permissions, email: "me@example.com" } },
  "GET /api/account": listResponse([me]),
  "GET /api/v2/sensor": listResponse([]),
  "GET /api/v2/sensor/batches": { status: 200, body: [] },
  "GET /api/v2/sensor/stats": counts({}),
  ...more,
});

test(
  "SE-01 a list opens in the order that was chosen last in this browser; the address wins",
  { tags: "prove" },
  async () => {
    const asked: string[] = [];
    const answers = server({
      "GET /api/v2/sensor": (_, query) => {
        if (query.get("limit") !== "1") asked.push([...query].filter(([name]) => name === "sortBy").join(" "));
        return listResponse(rows.slice(0, 1));
      },
    });
    const first = await openConsole("/sensor?sensorType=APS", answers);
    await page.getByRole("columnheader", { name: "ID" }).getByRole("button").click();
    await expect.poll(first.address).toBe("/sensor?sensorType=APS&sortBy=_id&sortDesc=true");
    await first.screen.unmount();

    asked.length = 0;
    const second = await openConsole("/impressum", answers);
    await page.getByRole("link", { name: "Sensors", exact: true }).first().click();
    await expect.poll(second.address).toBe("/sensor?sortBy=_id&sortDesc=true");
    await expect.element(page.getByRole("row").nth(1)).toBeVisible();
    expect(new Set(asked)).toEqual(new Set(["sortBy,-_id"]));
    second.back();
    await expect.poll(second.address).toBe("/impressum");
    await second.screen.unmount();

    const third = await openConsole("/sensor?sortBy=type", answers);
    await expect.poll(() => asked.at(-1)).toBe("sortBy,type");
    expect(third.address()).toBe("/sensor?sortBy=type");
  },
);

test(
  "SE-01 the reported versions stand newest first, and none comes, goes or moves while the list is open",
  { tags: "prove" },
  async () => {
    let counted: Record<string, number> = { "1.9.0": 5, "1.10.0": 2 };
    const stats = vi.fn(() => counts(counted));
    const { address } = await openConsole(
      "/sensor",
      server({ "GET /api/v2/sensor": listResponse(rows.slice(0, 1)), "GET /api/v2/sensor/stats": stats }),
    );
    await page.getByRole("button", { name: /^Filters/ }).click();
    const versions = page.getByRole("combobox", { name: "Reported firmware version" });
    await expect.element(versions).toBeVisible();
    // The window is so short that an additional option would push the others up.
    await page.viewport(1280, Math.ceil(versions.element().getBoundingClientRect().bottom) + 60);
    await openSelect(versions);
    await expect.poll(options).toEqual(["Any", "1.10.0", "1.9.0"]);
    const place = () => page.getByRole("option", { name: "1.9.0" }).element().getBoundingClientRect().top;
    const before = place();
    counted = { "2.0.0": 9, "1.10.0": 2 };
    await queryClient.invalidateQueries({ queryKey: ["sensor", "total"] });
    await new Promise(requestAnimationFrame);
    expect(stats).toHaveBeenCalledTimes(2);
    expect(options()).toEqual(["Any", "1.10.0", "1.9.0"]);
    expect(place()).toBe(before);
    await page.getByRole("option", { name: "1.10.0" }).click();
    await expect.poll(address).toBe("/sensor?infoSoftwareFirmwareVersion=1.10.0");
    await expect.poll(options).toEqual([]);
    await openSelect(versions);
    await expect.poll(options).toEqual(["Any", "2.0.0", "1.10.0"]);
  },
);

const removal = (name: string) => page.getByRole("button", { name: `Remove filter ${name}` }).element() as HTMLElement;

test("SE-01 filters changed in quick succession are all applied", async () => {
  const { address } = await openConsole(
    "/sensor?sensorType=APS&connected=connected&groups=a&groups=b&groups=c",
    server({}),
  );
  await expect.element(page.getByRole("button", { name: "Remove filter Sensor Type: APS" })).toBeVisible();
  const chips = ["Sensor Type: APS", "Groups: a", "Groups: c"].map(removal);
  for (const chip of chips) chip.click();
  await expect.poll(address).toBe("/sensor?connected=connected&groups=b");
  await page.getByRole("button", { name: /^Filters/ }).click();
  await expect.element(page.getByLabelText("Groups", { exact: true })).toBeVisible();
  const groups = page.getByLabelText("Groups", { exact: true }).element();
  for (const group of ["d", "e"]) {
    typeInto(groups, group);
    groups.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
  }
  await expect.poll(address).toBe("/sensor?connected=connected&groups=b&groups=d&groups=e");
});

test("SE-01 several values of a filter in the URL are one chip", { tags: "prove" }, async () => {
  const { address } = await openConsole("/sensor?installation=waiting&installation=installing", server({}));
  await expect
    .element(page.getByRole("button", { name: "Remove filter Installation: Waiting, Installing" }))
    .toBeVisible();
  const options = () =>
    page
      .getByRole("option")
      .elements()
      .map((option) => option.textContent);
  await page.getByRole("button", { name: /^Filters/ }).click();
  await page.getByRole("combobox", { name: "Installation" }).click();
  await expect
    .poll(options)
    .toEqual(["Any", "Waiting", "Paused", "Installing", "Done", "Failed", "Canceled", "Reverted"]);
  await page.getByRole("option", { name: "Failed" }).click();
  await expect.poll(address).toBe("/sensor?installation=failed");
  await expect.poll(options).toEqual([]);
  await page.getByRole("combobox", { name: "Monitoring license" }).click();
  await expect.poll(options).toEqual(["Any", "With", "Without"]);
  await page.getByRole("option", { name: "Without" }).click();
  await expect.element(page.getByRole("button", { name: "Remove filter Monitoring license: Without" })).toBeVisible();
  await expect.poll(options).toEqual([]);
  await page.getByRole("combobox", { name: "Connection" }).click();
  await page.getByRole("option", { name: "Not responding" }).click();
  await expect.poll(address).toBe("/sensor?installation=failed&monitored=false&connected=notResponding");
});

test("SE-01 a list that is filtered by open issues has a column that counts them", async () => {
  const openIssues = (["connection", "reboot", "osd"] as const).map((issueType, at) => ({
    issueType,
    issueStatus: at === 2 ? ("Warning" as const) : ("Error" as const),
    isAcknowledged: at === 1,
  }));
  const faulty = plainSensor({ ...plainRow(1), openIssues, issueStatus: "Error" });
  const open = (query: string) =>
    openConsole(`/sensor${query}`, server({ "GET /api/v2/sensor": listResponse([faulty, plainRow(2)]) }));
  const heads = () =>
    page
      .getByRole("columnheader")
      .elements()
      .map((head) => head.textContent.trim());
  const { screen } = await open("?issueStatus=Warning&issueStatus=Error&acknowledged=false");
  await expect.element(page.getByText("1 error, 1 warning")).toBeVisible();
  expect(heads()).toContain("Open issues");
  await expect.element(page.getByRole("button", { name: "Remove filter Acknowledged: No" })).toBeVisible();
  await screen.unmount();
  const { screen: next } = await open("?issueStatus=Warning&issueStatus=Error");
  await expect.element(page.getByText("2 errors, 1 warning")).toBeVisible();
  await next.unmount();
  await open("");
  await expect.element(page.getByRole("row", { name: new RegExp(faulty._id) })).toBeVisible();
  expect(heads()).not.toContain("Open issues");
});

const plainRow = (n: number) =>
  plainSensor({ _id: `00:1E:C0:00:01:0${n}`, owner: { _id: me._id, name: me.name, isDeleted: false } });

const rows = Array.from({ length: 50 }, (_, index) =>
  plainSensor({
    _id: `00:1E:C0:00:00:${index.toString(16).padStart(2, "0").toUpperCase()}`,
    owner: { _id: me._id, name: me.name, isDeleted: false },
  }),
);

test(
  "SE-01 a page that is gone back to is kept while its rows are still being asked for",
  { tags: "prove" },
  async () => {
    const { promise: held, resolve: answer } = Promise.withResolvers<void>();
    let isHeld = false;
    const { address, back } = await openConsole(
      "/sensor?skip=100",
      server({
        "GET /api/v2/sensor": async (_, query) => {
          if (query.has("connected")) return listResponse(rows.slice(0, 3));
          if (isHeld) await held;
          return listResponse(rows, 150);
        },
      }),
    );
    await expect.element(page.getByText("101–150 of 150")).toBeVisible();
    await page.getByRole("button", { name: /^Filters/ }).click();
    await page.getByRole("combobox", { name: "Connection" }).click();
    await page.getByRole("option", { name: "Connected", exact: true }).click();
    await expect.element(page.getByText("1–3 of 3")).toBeVisible();
    queryClient.removeQueries({ queryKey: ["sensor", "list"], type: "inactive" });
    isHeld = true;
    back();
    await expect.element(page.getByRole("button", { name: /^Remove filter/ })).not.toBeInTheDocument();
    answer();
    await expect.element(page.getByText("101–150 of 150")).toBeVisible();
    await expect.poll(address).toBe("/sensor?skip=100");
  },
);

test(
  "SE-01 a page that has emptied leads to the last one, and Back to where one came from",
  { tags: "prove" },
  async () => {
    let total = 150;
    const { address, back } = await openConsole(
      "/privacy",
      server({ "GET /api/v2/sensor": () => listResponse(total === 150 ? rows : rows.slice(0, 3), total) }),
    );
    await page.getByRole("link", { name: "Sensors", exact: true }).click();
    await page.getByRole("button", { name: "Page 3", exact: true }).click();
    await expect.poll(address).toBe("/sensor?skip=100");
    await expect.element(page.getByText("101–150 of 150")).toBeVisible();
    total = 3;
    await queryClient.invalidateQueries({ queryKey: ["sensor", "list"] });
    await expect.poll(address).toBe("/sensor");
    await expect.element(page.getByText("1–3 of 3")).toBeVisible();
    back();
    back();
    await expect.poll(address).toBe("/privacy");
  },
);

const lastSeen = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
const offline = { conAt: null, disconAt: null, isConnected: false, isConnectedButDoesntRespond: false };

test(
  "SE-01 problem counts above the list link to their sensors and are hidden at zero",
  { tags: "prove" },
  async () => {
    const stats: StubbedResponse = {
      status: 200,
      body: {
        totalByInfoFirmware: [],
        totalByScomState: [],
        totalByType: [],
        totalByMonitoringLicense: [],
        totalByInstallation: [
          { _id: "installing", count: 1200 },
          { _id: "failed", count: 0 },
        ],
        totalByLastContact: [
          { _id: "24h", count: 3 },
          { _id: "7d", count: 1 },
          { _id: "never", count: 2 },
        ],
      },
    };
    const asked: string[] = [];
    const { address } = await openConsole(
      "/sensor?skip=50",
      server({
        "GET /api/v2/sensor": (_, query) => (asked.push(query.toString()), listResponse(rows, 150)),
        "GET /api/v2/sensor/stats": stats,
      }),
    );
    const trouble = page.getByRole("toolbar", { name: "Problems" });
    await expect.element(trouble.getByRole("link", { name: "Offline > 24 h 3" })).toBeVisible();
    expect(
      trouble
        .getByRole("link")
        .elements()
        .map((link) => [link.textContent, link.getAttribute("href")]),
    ).toEqual([
      ["Offline > 24 h3", "/sensor?lastContact=24h"],
      ["Never connected2", "/sensor?lastContact=never"],
      ["Installing1,200", "/sensor?installation=installing"],
    ]);
    const stops = () =>
      trouble
        .getByRole("link")
        .elements()
        .map((link) => (link as HTMLElement).tabIndex);
    expect(stops()).toEqual([0, -1, -1]);
    (trouble.getByRole("link").first().element() as HTMLElement).focus();
    await userEvent.keyboard("{ArrowLeft}");
    await expect.element(trouble.getByRole("link", { name: /^Installing/ })).toHaveFocus();
    expect(stops()).toEqual([-1, -1, 0]);
    await userEvent.keyboard("{ArrowRight}{ArrowRight}");
    await expect.element(trouble.getByRole("link", { name: /^Never connected/ })).toHaveFocus();
    await trouble.getByRole("link", { name: "Never connected 2" }).click();
    await expect.poll(address).toBe("/sensor?lastContact=never");
    await expect
      .element(trouble.getByRole("link", { name: "Never connected 2" }))
      .toHaveAttribute("aria-current", "true");
    await expect
      .element(page.getByRole("button", { name: "Remove filter Last contact: Never connected" }))
      .toBeVisible();
    await page.getByRole("button", { name: "Connection", exact: true }).click();
    await expect.poll(() => asked.at(-1)).toContain("sortBy=lastContactAt");
  },
);

test("SE-01 SE-12 the cells say how long a sensor has been away and how far its firmware is", async () => {
  const one = (n: number, facts: Partial<Parameters<typeof plainSensor>[0]>) =>
    plainSensor({ _id: rows[n]?._id ?? "", owner: { _id: me._id, name: me.name, isDeleted: false }, ...facts });
  const artifact = {
    _id: "00000000-0000-7000-8000-000000000019",
    name: "1.19.0",
    type: "APS" as const,
    isDeleted: false,
  };
  const info = { software: { firmware: { version: "1.17.2" } } };
  const task = (status: "UpdateFailed" | null) => ({
    status,
    artifactID: artifact._id,
    createdAt: lastSeen(1),
    createdByAccount: me._id,
    statusChangedAt: null,
    info: null,
  });
  const listed = [
    one(0, {
      artifact,
      info,
      sensorUpdateTask: task(null),
      artifactInstallationState: { ok: true, state: "DOWNLOAD" },
      scomState: { ...offline, isConnected: true, lastContactAt: lastSeen(3.5) },
    }),
    one(1, { artifact, info, sensorUpdateTask: task(null), scomState: { ...offline, lastContactAt: lastSeen(60) } }),
    one(2, { artifact, info, sensorUpdateTask: task("UpdateFailed"), scomState: { ...offline, lastContactAt: null } }),
    one(3, { artifact, info, scomState: { ...offline, isConnected: true, lastContactAt: lastSeen(0) } }),
  ];
  const user = { ...me, permissions: { ...permissions, ownable: { sensor: viewing, artifact: viewing } } };
  await openConsole(
    "/sensor",
    server({
      "GET /api/auth/user": { status: 200, body: { ...user, email: "me@example.com" } },
      "GET /api/artifact": listResponse([]),
      "GET /api/v2/sensor": listResponse(listed),
    }),
  );
  const cells = (n: number) => page.getByRole("row", { name: new RegExp(rows[n]?._id ?? "") });
  for (const [n, words] of [
    ["Connected · 3 h ago", "1.17.2 → 1.19.0 · 25 %"],
    ["Offline 2 d", "1.17.2 → 1.19.0 · Waiting"],
    ["Never connected", "1.17.2 → 1.19.0 · Failed"],
    ["Connected", "1.17.2"],
  ].entries())
    for (const word of words) await expect.element(cells(n).getByText(word, { exact: true })).toBeVisible();
});
