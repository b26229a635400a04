// Tests all formats of pasted coordinates, and similar strings that are not coordinates.
import { expect, test } from "vitest";
import { parsePasted } from "./pasted.rules.ts";

const berlin = { point: { lat: 52.52, lng: 13.405 } };
const maps = "https://www.google.com/maps";

test.for([
  ["52.52, 13.405", berlin],
  ["52.52,13.405", berlin],
  ["52.52 13.405", berlin],
  ["52,52 13,405", berlin],
  ["52,52, 13,405", berlin],
  ["52,52; 13,405", berlin],
  ["  (52.52, 13.405) ", berlin],
  ["52.52° 13.405°", berlin],
  ["52°31′12″N 13°24′18″E", berlin],
  ["52° 31' 12\" N, 13° 24' 18\" E", berlin],
  ["52°31’12”n 13°24’18”e", berlin],
  ["N 52.52 E 13.405", berlin],
  ["N52.52, E13.405", berlin],
  ["13.405E 52.52N", berlin],
  ["52°31.2'N 13°24.3'E", berlin],
  ["-33.86, 151.2", { point: { lat: -33.86, lng: 151.2 } }],
  ["−33.86, 151.2", { point: { lat: -33.86, lng: 151.2 } }],
  ["33.86 S 70.5 W", { point: { lat: -33.86, lng: -70.5 } }],
  ["0.0, 0.0", { point: { lat: 0, lng: 0 } }],
  ["90.0, -180.0", { point: { lat: 90, lng: -180 } }],
  [`${maps}/place/Berlin/@51.1,11.1,10z/data=!3m1!4b1!8m2!3d52.52!4d13.405!16zL20`, berlin],
  [`${maps}/@52.52,13.405,15z`, berlin],
  [`${maps}/search/52.52,+13.405?entry=tts`, berlin],
  [`${maps}/search/?api=1&query=52.52%2C13.405`, berlin],
  [`${maps}?q=52.52,13.405`, berlin],
  [`look here: ${maps}?q=loc:52.52,13.405 at the corner`, berlin],
  [`${maps}/dir/?api=1&destination=52.52,13.405`, berlin],
  ["https://www.openstreetmap.org/#map=15/52.5200/13.4050", berlin],
  ["https://www.openstreetmap.org/?mlat=52.52&mlon=13.405#map=5/1.0/1.0", berlin],
  ["https://maps.apple.com/?ll=52.52,13.405&q=Museum", berlin],
  ["https://maps.apple.com/place?coordinate=52.52,13.405", berlin],
  ["https://www.bing.com/maps?cp=52.52~13.405&lvl=11", berlin],
  ["geo:52.52,13.405", berlin],
  ["geo:52.52,13.405;u=35?z=11", berlin],
  ["geo:0,0?q=52.52,13.405(Harbour%20Shop)", berlin],
] as const)("LO-02 %s is a point", ([text, expected]) => {
  expect(parsePasted(text)).toEqual(expected);
});

test.for([
  "",
  "Berlin",
  "5 10",
  "52, 13",
  "10115 12345",
  "91.5, 13.4",
  "52.5, 180.5",
  "52°61′N 13°E",
  "52.5N 13.4N",
  "N 52.5 13.4 E",
  "-52.5 S 13.4 E",
  "52.5.5, 13.4",
  "52.52, 13.405, 7.1",
  "1e2, 3e4",
  `${"1".repeat(5000)}, 2`,
  "'".repeat(2000),
])("LO-02 %s is no point", (text) => {
  expect(parsePasted(text)).toBeNull();
});

test("LO-02 a link without a point gives its words, a broken one nothing", () => {
  expect(parsePasted(`${maps}?q=Harbour+Street+5,+Hamburg`)).toEqual({ words: "Harbour Street 5, Hamburg" });
  expect(parsePasted("geo:0,0?q=Hamburg")).toEqual({ words: "Hamburg" });
  for (const link of [
    "https://maps.app.goo.gl/abc",
    `${maps}?q=95.1,13.4#`,
    "https://[",
    `${maps}/@%E0%A4%A,1`,
    "geo:x",
  ])
    expect(parsePasted(link), link).not.toHaveProperty("point");
});
