// Tests every validation rule of the ZOD sections at its boundaries, with message and field.
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
  specialCharactersMessage,
  repeatX,
  testRowTables,
} from "./section-rows.testing.ts";

const level = (id: string, name: string) => ({ id, name });
const part = (id: string, name: string) => ({ id, name, levelId: "l1", seats: 1, standing: 0 });
const coachCamera = (id: string, name: string) => ({
  id,
  name,
  enabled: true,
  sectionId: null,
  rotation: 0,
  heightCm: 220,
});
const two = [coachCamera("c1", "Front"), coachCamera("c2", "Rear")];
const group = { sections: [part("s1", "Front"), part("s2", "Rear")] };

testRowTables("SE-06", "ZOD", [
  [
    "camera",
    [
      [{ cameras: makeItems(8, coachCamera) }, null],
      [{ cameras: makeItems(9, coachCamera) }, ["cameras", "There may be at most 8 cameras."]],
      [{ cameras: [] }, ["cameras", "There must be at least 1 camera."]],
      ...nameRows("cameras.0.name"),
      [{ "cameras.1": coachCamera("c2", " Camera 1 ") }, ["cameras.1.name", "Name is already used."]],
      ...switchRows("cameras.0.enabled", "Enabled"),
      [{ "cameras.0.enabled": false }, ["cameras", "At least one camera must be enabled."]],
      [{ cameras: two, "cameras.0.enabled": false }, null],
      [{ "cameras.0.sectionId": "s2" }, null, { others: { group } }],
      [{ "cameras.0.sectionId": null }, null, { others: { group } }],
      [{ "cameras.0.sectionId": "s9" }, ["cameras.0.sectionId", "This section does not exist."], { others: { group } }],
      [{ "cameras.0.sectionId": "" }, ["cameras.0.sectionId", "Section is required."], { others: { group } }],
      [{ "cameras.0.sectionId": "s9" }, null],
      [{ "cameras.0.sectionId": 7 }, ["cameras.0.sectionId", "This section does not exist."]],
      ...choiceRows("cameras.0.rotation", "Rotation", [0, 90, 180, 270], [45, "90"]),
      ...rangeRows("cameras.0.heightCm", "Mounting height (cm)", 180, 300),
      [{ cameras: two }, null, { stored: { cameras: two } }],
      [{ cameras: two.slice(1) }, ["cameras", "A camera is missing."], { stored: { cameras: two } }],
      [
        { cameras: [...two, coachCamera("c3", "Third")] },
        ["cameras.2.id", "This camera does not exist."],
        { stored: { cameras: two } },
      ],
      [{ "cameras.0.id": "" }, ["cameras.0.id", "Every item needs an id of 1 to 64 characters."]],
      [{ "cameras.0": "c1" }, ["cameras.0", "This is no camera."]],
      [{ cameras: {} }, ["cameras", "Cameras must be a list."]],
      ...mainsFrequencyRows,
      ...switchRows("blurPreviews", "Blur people in previews"),
    ],
  ],
  [
    "measurement",
    [
      ...choiceRows("intervalS", "Interval", intervalSeconds, [61, "300", 0]),
      ...choiceRows("reportAt", "Report", ["interval", "departure", "both"], ["never", 1]),
      ...rangeRows("minHeightCm", "Smallest person (cm)", 60, 140),
      ...rangeRows("smoothingS", "Smoothing (s)", 0, 120),
      ...rangeRows("sleepAfterMin", "Sleep after standstill (min)", 0, 240),
    ],
  ],
  [
    "group",
    [
      ...nameRows("coach.name", "Coach name"),
      [{ "coach.vehicleId": repeatX(32) }, null],
      [{ "coach.vehicleId": repeatX(33) }, ["coach.vehicleId", "Vehicle ID may have at most 32 characters."]],
      [{ "coach.vehicleId": "" }, ["coach.vehicleId", "Vehicle ID is required."]],
      [{ "coach.vehicleId": "<7>" }, ["coach.vehicleId", specialCharactersMessage]],
      ...["a b", "ä", "a/b"].map((id): SectionRow => [
        { "coach.vehicleId": id },
        ["coach.vehicleId", "Vehicle ID may only contain letters, digits, dot, hyphen and underscore."],
      ]),
      ...rangeRows("coach.carriageSequence", "Position in train", 1, 20),
      [{ levels: [level("l1", "Main"), level("l2", "Upper"), level("l3", "Top")] }, null],
      [{ levels: makeItems(4, level), "sections.0.levelId": "i0" }, ["levels", "There may be at most 3 levels."]],
      ...nameRows("levels.0.name"),
      [{ "levels.1": level("l2", "Main") }, ["levels.1.name", "Name is already used."]],
      [{ sections: makeItems(12, part) }, null],
      [{ sections: makeItems(13, part) }, ["sections", "There may be at most 12 sections."]],
      [{ sections: [] }, ["sections", "There must be at least 1 section."]],
      ...nameRows("sections.0.name"),
      [{ "sections.0.levelId": "l2", "levels.1": level("l2", "Upper") }, null],
      [{ "sections.0.levelId": "l2" }, ["sections.0.levelId", "This level does not exist."]],
      [{ "sections.0.levelId": null }, ["sections.0.levelId", "Level is required."]],
      ...rangeRows("sections.0.seats", "Seats", 0, 300),
      ...rangeRows("sections.0.standing", "Standing places", 0, 300),
      [{ "sections.0.seats": 0, "sections.0.standing": 1 }, null],
      [{ "sections.0.seats": 1, "sections.0.standing": 0 }, null],
      [
        { "sections.0.seats": 0, "sections.0.standing": 0 },
        ["sections.0.seats", "A section needs at least one place."],
      ],
      [
        {},
        ["sections", "Cameras c1, c2 look at this section."],
        {
          stored: group,
          others: { camera: { cameras: two.map((one) => ({ ...one, sectionId: "s2" })) } },
        },
      ],
      [
        {},
        ["sections", "Camera c2 looks at this section."],
        { stored: group, others: { camera: { cameras: [two[0], { ...two[1], sectionId: "s2" }] } } },
      ],
      [{}, null, { stored: group, others: { camera: { cameras: two } } }],
      [{}, null, { stored: group }],
    ],
  ],
  ["dataendpoint", endpointRows],
  [
    "psp",
    [
      [{ broker: "192.168.1.7:1" }, null],
      [{ broker: "broker.example.com:65535" }, null],
      [{ broker: "" }, ["broker", "Server address is required."]],
      ...[
        "broker.example.com",
        "broker:",
        ":8883",
        "broker:0",
        "broker:65536",
        "a b:1",
        "broker:08883",
        "1.2.3:1",
        "mqtts://b:1",
      ].map((broker): SectionRow => [{ broker }, ["broker", "Server address must be host:port."]]),
      [{ broker: `${repeatX(260)}:1` }, ["broker", "Server address may have at most 255 characters."]],
      ...switchRows("psconnect", "Remote access (PS.Connect)"),
      ...rangeRows("bufferDays", "Keep undelivered data (days)", 1, 60),
    ],
  ],
  [
    "gps",
    [
      ...switchRows("enabled", "Record position"),
      ...choiceRows("source", "Source", ["internal", "nmea-udp"], ["usb", 1]),
      ...rangeRows("udpPort", "UDP port", 1024, 65_535, { source: "nmea-udp" }),
      ...rangeRows("intervalS", "Every (s)", 1, 300),
      ...rangeRows("minMoveM", "Only when moved (m)", 0, 500),
      // Fields that don't apply may have any value.
      [{ udpPort: 7 }, null],
      [{ enabled: false, source: "usb", udpPort: null, intervalS: 0, minMoveM: "far" }, null],
    ],
  ],
]);
