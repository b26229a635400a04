// Tests the validation of PS.C1 sections, and of data receivers of PS.C1 and ZOD, through a real tunnel.
import { describe, expect, test } from "vitest";
import { type Case, expectRefused, textOfLength } from "../testing/refusals.ts";
import { methodsOf, openReachableSensor } from "../testing/tunnel.ts";

test("data endpoints of both types", async () => {
  const made = await openReachableSensor({ type: "PS.C1" });
  const endpoint = (some: object = {}) => ({
    id: "e1",
    name: "Own",
    enabled: true,
    url: "https://data.test/in",
    username: "me",
    password: "secret-1",
    ...some,
  });
  const one = (some: object) => ({ endpoints: [endpoint(some)] });
  const own = [
    "https://localhost/",
    "https://a.localhost/",
    "https://localhost./",
    "mqtts://127.0.0.1:8883",
    "mqtts://127.1",
    "https://2130706433/",
    "https://0x7f.1/",
    "https://[::1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://169.254.169.254/latest",
    "https://[fe80::1]/",
    "https://0.0.0.0/",
    "https://[::]/",
  ];
  const none = ["http://a.test/", "ftp://a.test", "a.test", "https://", "https://me@a.test/", "https://me:pw@a.test/"];
  await expectRefused(made, "dataendpoint", [
    ...own.map((url): Case => [url, one({ url }), "endpoints.0.url", "The sensor does not send to this address."]),
    ...none.map((url): Case => [url, one({ url }), "endpoints.0.url", "Address must begin with https:// or mqtts://."]),
    [
      "long",
      one({ url: `https://a.test/${textOfLength(250)}` }),
      "endpoints.0.url",
      "Address may have at most 255 characters.",
    ],
    ["no url", one({ url: "" }), "endpoints.0.url", "Address is required."],
    ["user", one({ username: textOfLength(65) }), "endpoints.0.username", "Username may have at most 64 characters."],
    [
      "password",
      one({ password: textOfLength(129) }),
      "endpoints.0.password",
      "Password may have at most 128 characters.",
    ],
    ["no user", one({ username: "" }), "endpoints.0.username", "The username is required"],
    [
      "four",
      { endpoints: ["a", "b", "c", "d"].map((id) => endpoint({ id, name: id })) },
      "endpoints",
      "Data endpoints may have at most 3 entries.",
    ],
    ["a flag", one({ passwordSet: true }), "endpoints.0.passwordSet", "This field is not known."],
  ]);
  const { change, get, refusal } = methodsOf(made);
  await change("dataendpoint", one({}));
  const { values, info } = await get("dataendpoint");
  expect(values).toEqual({
    endpoints: [
      { id: "e1", name: "Own", enabled: true, url: "https://data.test/in", username: "me", passwordSet: true },
    ],
  });
  expect(info).toEqual({ endpoints: [{ id: "e1", lastOkAt: null, lastError: expect.any(String) as string }] });
  const secretOf = () => JSON.stringify(made.sensor.sections.held["dataendpoint"]?.values);
  // An absent or empty password keeps the stored one, even if the endpoint moves in the list; null removes it.
  await change("dataendpoint", {
    endpoints: [endpoint({ id: "e2", name: "First", password: null }), endpoint({ password: undefined })],
  });
  expect(secretOf()).toContain("secret-1");
  await change("dataendpoint", one({ password: "" }));
  expect(secretOf()).toContain("secret-1");
  expect((await refusal("dataendpoint", one({ password: "", username: "" }))).data?.fields).toHaveLength(1);
  await change("dataendpoint", one({ password: null, username: "" }));
  expect(secretOf()).not.toContain("secret-1");
  expect((await get("dataendpoint")).values["endpoints"]).toMatchObject([{ passwordSet: false }]);
});

describe("PS.C1", () => {
  const line = (some: object = {}) => ({
    id: "l1",
    name: "Door",
    points: [
      { x: 10, y: 50 },
      { x: 90, y: 50 },
    ],
    inSide: "left",
    ...some,
  });
  const square = [
    { x: 10, y: 10 },
    { x: 90, y: 10 },
    { x: 90, y: 90 },
    { x: 10, y: 90 },
  ];
  const zone = (some: object = {}) => ({ id: "z1", name: "Hall", points: square, ...some });
  const at = (x: number, y: number) => ({ x, y });

  test("camera and applications", async () => {
    const made = await openReachableSensor({ type: "PS.C1" });
    const counting = (some: object) => ({
      counting: { enabled: true, intervalS: 300, minHeightCm: 80, childBelowCm: 0, ...some },
    });
    const lines = (some: object) => ({ lines: [line(some)] });
    const crossing = [at(0, 0), at(100, 100), at(100, 0), at(0, 100)];
    const touching = [at(0, 0), at(100, 0), at(100, 100), at(50, 0), at(0, 100)];
    const between = "must be a number between 0 and 100 with at most one decimal.";
    await expectRefused(made, "camera", [
      ["low", { mountHeightCm: 219 }, "mountHeightCm", "Mounting height must be a whole number between 220 and 1000."],
      ["light", { statusLed: null }, "statusLed", "Status light is required."],
    ]);
    await expectRefused(made, "applications", [
      [
        "child",
        counting({ childBelowCm: 80 }),
        "counting.childBelowCm",
        "Child below must be greater than the smallest person.",
      ],
      [
        "small",
        counting({ minHeightCm: 39 }),
        "counting.minHeightCm",
        "Smallest person must be a whole number between 40 and 160.",
      ],
      ["no line", { lines: [] }, "lines", "Draw at least one line."],
      ["one point", lines({ points: [at(1, 1)] }), "lines.0.points", "Points must have at least 2 entries."],
      [
        "nine",
        lines({ points: Array.from({ length: 9 }, (_, n) => at(n, n)) }),
        "lines.0.points",
        "Points may have at most 8 entries.",
      ],
      ["outside", lines({ points: [at(-0.1, 5), at(5, 100.1)] }), "lines.0.points.1.y", `y ${between}`],
      ["decimals", lines({ points: [at(1.25, 5), at(5, 5)] }), "lines.0.points.0.x", `x ${between}`],
      ["side", lines({ inSide: "up" }), "lines.0.inSide", "In is must be one of left, right."],
      ["zones", { occupancy: { enabled: true } }, "zones", "Draw at least one zone."],
      ["dwell", { dwell: { enabled: true, minS: 3 } }, "zones", "Draw at least one zone."],
      [
        "stay",
        { dwell: { enabled: true, minS: 0 }, zones: [zone()] },
        "dwell.minS",
        "Shortest stay must be a whole number between 1 and 60.",
      ],
      [
        "two points",
        { zones: [zone({ points: [at(0, 0), at(1, 1)] })] },
        "zones.0.points",
        "Points must have at least 3 entries.",
      ],
      ["crossing", { zones: [zone({ points: crossing })] }, "zones.0.points", "The edges of Hall cross."],
      ["touching", { zones: [zone({ points: touching })] }, "zones.0.points", "The edges of Hall cross."],
    ]);
    const { change } = methodsOf(made);
    await change("applications", {
      zones: [zone(), zone({ id: "z2", name: "Bent", points: [at(0, 0), at(50, 20), at(100, 0), at(50, 99.9)] })],
      occupancy: { enabled: true },
    });
    // While counting is off, its fields and lines are not validated.
    await change("applications", { ...counting({ enabled: false, minHeightCm: 5 }), lines: [] });
  });

  test("dwell time needs a license, which an id that is a multiple of four lacks", async () => {
    const licensed = await openReachableSensor({ type: "PS.C1" });
    const some = { dwell: { enabled: true, minS: 3 }, zones: [zone()] };
    expect(await methodsOf(licensed).change("applications", some)).toEqual({ rev: 2, applied: "now" });
    const unlicensed = await openReachableSensor({ type: "PS.C1", id: "02:00:00:00:00:44" });
    expect(await methodsOf(unlicensed).refusal("applications", some)).toEqual({
      code: -32004,
      message: "The license for dwell time is missing.",
    });
  });

  test("security", async () => {
    const made = await openReachableSensor({ type: "PS.C1" });
    const between = "must have between 12 and 64 characters.";
    await expectRefused(made, "security", [
      ...[1883, 8883, 123].map((port): Case => [
        `${port}`,
        { localHttpsPort: port },
        "localHttpsPort",
        "This port is reserved.",
      ]),
      ["port", { localHttpsPort: 0 }, "localHttpsPort", "HTTPS port must be a whole number between 1 and 65535."],
      ["short", { editPassword: textOfLength(11) }, "editPassword", `Password of user-role-edit ${between}`],
      ["long", { viewPassword: textOfLength(65) }, "viewPassword", `Password of user-role-view ${between}`],
      ["number", { viewPassword: 123456789012 }, "viewPassword", `Password of user-role-view ${between}`],
      [
        "equal",
        { editPassword: textOfLength(12), viewPassword: textOfLength(12) },
        "viewPassword",
        "The two passwords must differ.",
      ],
    ]);
    const { change, get, refusal } = methodsOf(made);
    await change("security", { editPassword: "a".repeat(12), viewPassword: "b".repeat(12) });
    expect((await refusal("security", { editPassword: "b".repeat(12) })).data?.fields).toEqual([
      { path: "editPassword", message: "The two passwords must differ." },
    ]);
    await change("security", { viewPassword: null });
    const { values, info } = await get("security");
    expect(values).toMatchObject({ editPasswordSet: true, viewPasswordSet: false });
    expect(JSON.stringify(values)).not.toContain("aaaa");
    expect(values).not.toHaveProperty("editPassword");
    expect(info).toEqual({
      certificate: { sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string, validTo: expect.any(Number) as number },
    });
  });

  test("network", async () => {
    const made = await openReachableSensor({ type: "PS.C1" });
    const fixed = (some: object = {}) => ({
      mode: "static",
      address: "192.168.1.20",
      prefix: 24,
      gateway: "192.168.1.1",
      dns: ["9.9.9.9"],
      ...some,
    });
    const noAddress = [
      "a",
      "1.2.3",
      "1.2.3.4.5",
      "256.1.1.1",
      "0.1.2.3",
      "127.0.0.1",
      "224.0.0.1",
      "255.255.255.255",
      "::1",
      "01.2.3.4",
    ];
    const sameNetwork = "The gateway must be in the same network.";
    await expectRefused(made, "network", [
      ["mode", { mode: "auto" }, "mode", "Address assignment must be one of dhcp, static."],
      ["none", fixed({ address: "" }), "address", "IP address is required."],
      ...noAddress.map((address): Case => [
        address,
        fixed({ address }),
        "address",
        "IP address must be an IPv4 address.",
      ]),
      ["gateway", fixed({ gateway: "x" }), "gateway", "Gateway must be an IPv4 address."],
      ["no gateway", fixed({ gateway: null }), "gateway", "Gateway is required."],
      ["prefix", fixed({ prefix: 31 }), "prefix", "Prefix length must be a whole number between 8 and 30."],
      ["other network", fixed({ gateway: "192.168.2.1" }), "gateway", sameNetwork],
      ["narrow", fixed({ prefix: 30 }), "gateway", sameNetwork],
      ["itself", fixed({ gateway: "192.168.1.20" }), "gateway", sameNetwork],
      ["no dns", fixed({ dns: [] }), "dns", "Enter at least one DNS server."],
      ["bad dns", fixed({ dns: ["dns.example"] }), "dns", "DNS servers must be IPv4 addresses."],
      ["three", fixed({ dns: ["1.1.1.1", "8.8.8.8", "9.9.9.9"] }), "dns", "DNS servers may have at most 2 entries."],
      ["in use", fixed({ address: "192.168.1.250" }), "address", "This address is already in use."],
      ["ntp", { ntp: ["a b"] }, "ntp", "Time servers must be host names or IPv4 addresses."],
      ["four", { ntp: ["a", "b", "c", "d"] }, "ntp", "Time servers may have at most 3 entries."],
      ["no list", { ntp: "pool" }, "ntp", "Time servers must be a list."],
      [
        "host",
        { hostname: "-a" },
        "hostname",
        "Host name may only contain letters, digits and hyphens, not at an end.",
      ],
      ["long host", { hostname: textOfLength(64) }, "hostname", "Host name may have at most 63 characters."],
      ["large", { address: textOfLength(300) }, "address", "This value is not valid."],
    ]);
    expect((await methodsOf(made).get("network")).values["hostname"]).toBe("psc1-000042");
  });
});
