// Tests the validation of ZOD sections through a real tunnel.
import { describe, expect, test } from "vitest";
import { type Case, expectRefused, textOfLength } from "../testing/refusals.ts";
import { methodsOf, openReachableSensor } from "../testing/tunnel.ts";

describe("ZOD", () => {
  const camera = (some: object = {}) => ({
    id: "c1",
    name: "Front",
    enabled: true,
    sectionId: "s1",
    rotation: 0,
    heightCm: 220,
    ...some,
  });
  const others = [
    camera({ id: "c2", name: "Middle", sectionId: "s2" }),
    camera({ id: "c3", name: "Rear", sectionId: "s3" }),
  ];
  const cameras = (some: object) => ({ cameras: [camera(some), ...others] });

  test("camera", async () => {
    const made = await openReachableSensor({ type: "ZOD" });
    await expectRefused(made, "camera", [
      ["no name", cameras({ name: "  " }), "cameras.0.name", "Name is required."],
      ["long name", cameras({ name: textOfLength(41) }), "cameras.0.name", "Name may have at most 40 characters."],
      ["brackets", cameras({ name: "a<b" }), "cameras.0.name", "Name must not contain any of < > [ ] { }."],
      ["control", cameras({ name: "a\u0000b" }), "cameras.0.name", "Name has characters that are not allowed."],
      ["number as name", cameras({ name: 5 }), "cameras.0.name", "Name must be a text."],
      ["twice", cameras({ name: "Rear" }), "cameras.2.name", "Name is already used."],
      ["foreign", cameras({ id: "c9" }), "cameras.0.id", "This camera does not exist."],
      ["twins", cameras({ id: "c2" }), "cameras.1.id", "The id is already used."],
      ["nowhere", cameras({ sectionId: "s9" }), "cameras.0.sectionId", "This section does not exist."],
      ["rotation", cameras({ rotation: 45 }), "cameras.0.rotation", "Rotation must be one of 0, 90, 180, 270."],
      [
        "low",
        cameras({ heightCm: 179 }),
        "cameras.0.heightCm",
        "Mounting height must be a whole number between 180 and 300.",
      ],
      [
        "high",
        cameras({ heightCm: 301 }),
        "cameras.0.heightCm",
        "Mounting height must be a whole number between 180 and 300.",
      ],
      [
        "half",
        cameras({ heightCm: 220.5 }),
        "cameras.0.heightCm",
        "Mounting height must be a whole number between 180 and 300.",
      ],
      [
        "text",
        cameras({ heightCm: "220" }),
        "cameras.0.heightCm",
        "Mounting height must be a whole number between 180 and 300.",
      ],
      ["none", cameras({ heightCm: null }), "cameras.0.heightCm", "Mounting height is required."],
      ["not bool", cameras({ enabled: 1 }), "cameras.0.enabled", "Enabled must be on or off."],
      ["more", cameras({ extra: 1 }), "cameras.0.extra", "This field is not known."],
      [
        "off",
        { cameras: [camera(), ...others].map((one) => ({ ...one, enabled: false })) },
        "cameras",
        "At least one camera must be enabled.",
      ],
      ["fewer", { cameras: others }, "cameras", "A camera is missing."],
      ["none at all", { cameras: [] }, "cameras", "Cameras must have at least 1 entries."],
      [
        "many",
        { cameras: Array.from({ length: 9 }, () => camera()) },
        "cameras",
        "Cameras may have at most 8 entries.",
      ],
      ["no list", { cameras: {} }, "cameras", "Cameras must be a list."],
      ["no group", { cameras: ["c1"] }, "cameras.0", "A group of fields is required."],
      ["mains", { mainsHz: 55 }, "mainsHz", "Mains frequency must be one of auto, 50, 60."],
      ["section field", { hue: "red" }, "hue", "This field is not known."],
    ]);
    const { change, get } = methodsOf(made);
    await change("camera", cameras({ name: "  Nose ", sectionId: null }));
    expect((await get("camera")).values["cameras"]).toMatchObject([{ name: "Nose", sectionId: null }, {}, {}]);
  });

  test("measurement and GPS", async () => {
    const made = await openReachableSensor({ type: "ZOD" });
    await expectRefused(made, "measurement", [
      ["61", { intervalS: 61 }, "intervalS", "Interval must be one of 60, 300, 600, 900, 1800, 3600."],
      ["report", { reportAt: "never" }, "reportAt", "Report must be one of interval, departure, both."],
      ["small", { minHeightCm: 59 }, "minHeightCm", "Smallest person must be a whole number between 60 and 140."],
      ["smooth", { smoothingS: 121 }, "smoothingS", "Smoothing must be a whole number between 0 and 120."],
      [
        "sleep",
        { sleepAfterMin: -1 },
        "sleepAfterMin",
        "Sleep after standstill must be a whole number between 0 and 240.",
      ],
    ]);
    await expectRefused(made, "gps", [
      ["source", { source: "compass" }, "source", "Source must be one of internal, nmea-udp."],
      [
        "port",
        { source: "nmea-udp", udpPort: 80 },
        "udpPort",
        "UDP port must be a whole number between 1024 and 65535.",
      ],
      ["every", { intervalS: 0 }, "intervalS", "Every (s) must be a whole number between 1 and 300."],
      ["moved", { minMoveM: 501 }, "minMoveM", "Only when moved (m) must be a whole number between 0 and 500."],
      ["too large", { enabled: false, minMoveM: textOfLength(256) }, "minMoveM", "This value is not valid."],
    ]);
    // Fields that don't apply are stored as sent.
    expect(await methodsOf(made).change("gps", { udpPort: 80 })).toEqual({ rev: 2, applied: "restart" });
    expect(await methodsOf(made).change("gps", { enabled: false, minMoveM: 9999 })).toMatchObject({ rev: 3 });
  });

  test("group, and what cameras look at", async () => {
    const made = await openReachableSensor({ type: "ZOD" });
    const part = (id: string, some: object = {}) => ({ id, name: id, levelId: "l1", seats: 20, standing: 10, ...some });
    const sections = (some: object) => ({ sections: [part("s1", some), part("s2"), part("s3")] });
    const coach = (some: object) => ({ coach: { name: "Coach", vehicleId: "v1", carriageSequence: 1, ...some } });
    await expectRefused(made, "group", [
      ["no vehicle", coach({ vehicleId: "" }), "coach.vehicleId", "Vehicle ID is required."],
      [
        "long vehicle",
        coach({ vehicleId: textOfLength(33) }),
        "coach.vehicleId",
        "Vehicle ID may have at most 32 characters.",
      ],
      [
        "blank",
        coach({ vehicleId: "a b" }),
        "coach.vehicleId",
        "Vehicle ID may only contain letters, digits, dot, hyphen and underscore.",
      ],
      [
        "position",
        coach({ carriageSequence: 21 }),
        "coach.carriageSequence",
        "Position in train must be a whole number between 1 and 20.",
      ],
      ["no level", sections({ levelId: "l9" }), "sections.0.levelId", "This level does not exist."],
      ["no place", sections({ seats: 0, standing: 0 }), "sections.0.seats", "A section needs at least one place."],
      ["seats", sections({ seats: 301 }), "sections.0.seats", "Seats must be a whole number between 0 and 300."],
      ["level in use", { levels: [{ id: "l2", name: "Other" }] }, "levels", "Remove its sections first."],
      [
        "levels",
        { levels: ["l1", "a", "b", "c"].map((id) => ({ id, name: id })) },
        "levels",
        "Levels may have at most 3 entries.",
      ],
      ["watched", { sections: [part("s1"), part("s2")] }, "sections", "Camera c3 looks at this section."],
      [
        "13",
        { sections: Array.from({ length: 13 }, (_, n) => part(`s${n}`)) },
        "sections",
        "Sections may have at most 12 entries.",
      ],
      ["bad id", sections({ id: "s 1" }), "sections.0.id", "The id may have 1 to 32 letters and digits."],
    ]);
    const { change, refusal, get } = methodsOf(made);
    const { cameras } = (await get("camera")).values as { cameras: object[] };
    await change("camera", { cameras: cameras.map((one) => ({ ...one, sectionId: "s3" })) });
    expect((await refusal("group", { sections: [part("s1"), part("s2")] })).data?.fields).toEqual([
      { path: "sections", message: "Cameras c1, c2, c3 look at this section." },
    ]);
    await change("group", {
      levels: [
        { id: "l1", name: "Main" },
        { id: "l2", name: "Top" },
      ],
      sections: [part("s3", { levelId: "l2" })],
    });
  });

  test("the line to the platform", async () => {
    const made = await openReachableSensor({ type: "ZOD" });
    const refused = [
      "nohost",
      "host:0",
      "host:65536",
      ":1883",
      "a b:1883",
      "host:1883:1",
      "1.2.3:1883",
      "-a:1883",
      "[::z]:1",
      "host:",
      "mqtt://host:1883",
    ];
    await expectRefused(made, "psp", [
      ["none", { broker: "" }, "broker", "Server address is required."],
      ["days", { bufferDays: 61 }, "bufferDays", "Keep undelivered data must be a whole number between 1 and 60."],
      ["flag", { psconnect: "yes" }, "psconnect", "Remote access (PS.Connect) must be on or off."],
      ...refused.map((broker): Case => [broker, { broker }, "broker", "Server address must be host:port."]),
    ]);
  });
});
