// Tests every validation rule of the PS.C1 sections at its boundaries, with message and field.
import {
  type SectionRow,
  endpointRows,
  intervalSeconds,
  makeItems,
  mainsFrequencyRows,
  choiceRows,
  nameRows,
  rangeRows,
  switchRows,
  wholeNumberMessage,
  repeatX,
  testRowTables,
} from "./section-rows.testing.ts";
import { makeZone } from "./section.testing.ts";

const line = (id: string, name: string) => ({
  id,
  name,
  points: [
    { x: 0, y: 0 },
    { x: 100, y: 100 },
  ],
  inSide: "right",
});
const turns = choiceRows("rotation", "Rotation", [0, 90, 180, 270], [45, "90", -90, {}]);
const corner = (points: [number, number][]) => points.map(([px, py]) => ({ x: px, y: py }));
const decimal = (label: string) => `${label} must be a number between 0 and 100 with at most one decimal.`;

testRowTables("SE-07", "PS.C1", [
  [
    "camera",
    [
      ...rangeRows("mountHeightCm", "Mounting height (cm)", 220, 1000),
      ...turns,
      ...mainsFrequencyRows,
      ...switchRows("blurPreviews", "Blur people in previews"),
      ...switchRows("statusLed", "Status light"),
    ],
  ],
  [
    "applications",
    [
      ...switchRows("counting.enabled", "Count people"),
      ...choiceRows("counting.intervalS", "Interval", intervalSeconds, [61, "300"]),
      ...rangeRows("counting.minHeightCm", "Smallest person (cm)", 40, 160),
      [{ "counting.childBelowCm": 0 }, null],
      [{ "counting.childBelowCm": 81 }, null],
      [{ "counting.childBelowCm": 161 }, ["counting.childBelowCm", wholeNumberMessage("Child below (cm)", 0, 160)]],
      ...[1, 79, 80].map((child): SectionRow => [
        { "counting.childBelowCm": child },
        ["counting.childBelowCm", "Child below must be greater than the smallest person."],
      ]),
      [{ "counting.enabled": false, "counting.childBelowCm": 1, "counting.minHeightCm": null, lines: [] }, null],
      [{ lines: [] }, ["lines", "Draw at least one line."]],
      [{ lines: makeItems(8, line) }, null],
      [{ lines: makeItems(9, line) }, ["lines", "There may be at most 8 lines."]],
      ...nameRows("lines.0.name"),
      [{ "lines.1": line("l2", "Line 1") }, ["lines.1.name", "Name is already used."]],
      ...choiceRows("lines.0.inSide", "In is", ["left", "right"], ["in", 0]),
      [{ "lines.0.points": corner([[0, 100]]) }, ["lines.0.points", "Between 2 and 8 points are needed."]],
      [{ "lines.0.points": Array(8).fill({ x: 0.1, y: 99.9 }) }, null],
      [{ "lines.0.points": Array(9).fill({ x: 0, y: 0 }) }, ["lines.0.points", "Between 2 and 8 points are needed."]],
      [{ "lines.0.points": "x" }, ["lines.0.points", "Between 2 and 8 points are needed."]],
      [{ "lines.0.points.0.x": 0.3, "lines.0.points.1.y": 57.1 }, null],
      ...[-0.1, 100.1, 0.25, "7", Number.NaN].map((value): SectionRow => [
        { "lines.0.points.1.y": value },
        ["lines.0.points.1.y", decimal("Point 2 y (%)")],
      ]),
      [{ "lines.0.points.0.x": null }, ["lines.0.points.0.x", "Point 1 x (%) is required."]],
      ...switchRows("occupancy.enabled", "Measure zones"),
      ...switchRows("dwell.enabled", "Measure dwell time"),
      ...rangeRows("dwell.minS", "Shortest stay (s)", 1, 60),
      [{ "dwell.enabled": false, "dwell.minS": 0 }, null],
      [{ zones: [] }, ["zones", "Draw at least one zone."]],
      [{ zones: [], "occupancy.enabled": false }, ["zones", "Draw at least one zone."]],
      [{ zones: [], "dwell.enabled": false }, ["zones", "Draw at least one zone."]],
      [{ zones: [], "occupancy.enabled": false, "dwell.enabled": false }, null],
      [{ zones: makeItems(8, makeZone) }, null],
      [{ zones: makeItems(9, makeZone) }, ["zones", "There may be at most 8 zones."]],
      [{ "zones.1": makeZone("z2", "Shelf") }, ["zones.1.name", "Name is already used."]],
      [
        {
          "zones.0.points": corner([
            [0, 0],
            [9, 9],
          ]),
        },
        ["zones.0.points", "Between 3 and 16 points are needed."],
      ],
      [
        {
          "zones.0.points": corner([
            [0, 0],
            [100, 0],
            [100, 100],
            [0, 100],
          ]),
        },
        null,
      ],
      [
        {
          "zones.0.points": corner([
            [0, 0],
            [100, 100],
            [100, 0],
            [0, 100],
          ]),
        },
        ["zones.0.points", "The edges of Shelf cross."],
      ],
      [
        {
          "zones.0.points": corner([
            [0, 0],
            [50, 50],
            [100, 100],
          ]),
        },
        ["zones.0.points", "The edges of Shelf cross."],
      ],
    ],
  ],
  ["dataendpoint", endpointRows],
  [
    "security",
    [
      ...switchRows("localPage", "Local configuration page"),
      ...rangeRows("localHttpsPort", "HTTPS port", 1, 65_535),
      ...[1883, 8883, 123].map((port): SectionRow => [
        { localHttpsPort: port },
        ["localHttpsPort", "This port is reserved."],
      ]),
      [{ localHttpsPort: 8443 }, null],
      ...(["edit", "view"] as const).flatMap((who): SectionRow[] => {
        const [path, label] = [`${who}Password`, `Password of user-role-${who}`];
        const sentence = `${label} must have between 12 and 64 characters.`;
        return [
          [{ [path]: repeatX(12) }, null],
          [{ [path]: repeatX(64) }, null],
          [{ [path]: "" }, null],
          [{ [path]: null }, null],
          [{ [path]: "<{[ any  thing ]}>" }, null],
          [{ [path]: repeatX(11) }, [path, sentence]],
          [{ [path]: repeatX(65) }, [path, sentence]],
        ];
      }),
      [{ editPassword: repeatX(12), viewPassword: "y".repeat(12) }, null],
      [{ editPassword: repeatX(12), viewPassword: repeatX(12) }, ["viewPassword", "The two passwords must differ."]],
      [{ editPassword: "", viewPassword: "" }, null],
      ...switchRows("psconnect", "Remote access (PS.Connect)"),
    ],
  ],
  [
    "network",
    [
      ...choiceRows("mode", "Address assignment", ["dhcp", "static"], ["auto", 4]),
      [{ address: " 192.168.7.20 " }, null],
      [{ address: "" }, ["address", "IP address is required."]],
      ...[
        "192.168.7",
        "192.168.7.256",
        "192.168.07.2",
        "0.1.2.3",
        "127.0.0.1",
        "224.0.0.1",
        "255.0.0.7",
        "1.2.3.4.5",
        "a.b.c.d",
      ].map((address): SectionRow => [{ address }, ["address", "IP address must be an IPv4 address."]]),
      [{ address: "192.168.7.0" }, ["address", "IP address must not be the first or the last address of the network."]],
      ...rangeRows("prefix", "Prefix length", 8, 30, { address: "10.1.1.2", gateway: "10.1.1.1" }),
      [{ gateway: "" }, ["gateway", "Gateway is required."]],
      [{ gateway: "192.168.7.1x" }, ["gateway", "Gateway must be an IPv4 address."]],
      [{ gateway: "192.168.8.1" }, ["gateway", "The gateway must be in the same network."]],
      [{ gateway: "192.168.7.20" }, ["gateway", "The gateway must be in the same network."]],
      [{ gateway: "192.168.8.1", prefix: 16 }, null],
      [{ gateway: "192.168.7.255" }, ["gateway", "Gateway must not be the first or the last address of the network."]],
      [{ dns: ["8.8.8.8", "9.9.9.9"] }, null],
      [{ dns: [] }, ["dns", "Enter at least one DNS server."]],
      [{ dns: ["8.8.8.8", "9.9.9.9", "1.1.1.1"] }, ["dns", "DNS servers may have at most 2 entries."]],
      ...[["dns.example.com"], ["8.8.8.8", ""], [8], [null]].map((dns): SectionRow => [
        { dns },
        ["dns", "DNS servers must be IPv4 addresses."],
      ]),
      [{ dns: "8.8.8.8" }, ["dns", "DNS servers must be a list."]],
      [{ ntp: [] }, null],
      [{ ntp: ["a", "b", "c"] }, null],
      [{ ntp: ["a", "b", "c", "d"] }, ["ntp", "Time servers may have at most 3 entries."]],
      [{ ntp: ["a b"] }, ["ntp", "Time servers must be host names or IPv4 addresses."]],
      [{ ntp: ["300.1.1.1"] }, ["ntp", "Time servers must be host names or IPv4 addresses."]],
      [{ hostname: repeatX(63) }, null],
      [{ hostname: "7-a" }, null],
      [{ hostname: repeatX(64) }, ["hostname", "Host name may have at most 63 characters."]],
      [{ hostname: "" }, ["hostname", "Host name is required."]],
      ...["-a", "a-", "a.b", "a_b", "ä"].map((hostname): SectionRow => [
        { hostname },
        ["hostname", "Host name may only contain letters, digits and hyphens, not at an end."],
      ]),
      [{ mode: "dhcp", address: "x", gateway: "y", prefix: 99, dns: [] }, null],
    ],
  ],
]);
