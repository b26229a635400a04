// Tests that the URL parameters of the sensor list match the API call.
import { sensorListQuery } from "@psp/contract/sensor/sensor.query.ts";
import { expect, test } from "vitest";
import { pickValidSearch } from "../../address/list-state.ts";
import { sensorParameters } from "./sensor.parameters.ts";

const marks = "\u0301";
const texts = [
  "true false TRUE 0 1 -0 -1 500 501 1000000000 1000000001 1.5 1e3 +1 999999999999999 9999999999999999",
  "_id -_id --_id type -type lastContactAt -lastContactAt name toString - APS PS.C1 ZOD aps connected notResponding",
  "disconnected enabled disabled waiting installing done failed canceled Ok Warning Error 24h 7d never 30d north n<b> n[0] n{0} 00:1E:C0:12:34:56",
]
  .flatMap((words) => words.split(" "))
  .concat(
    [" true", "north side", "n\u0000", "n\nm", "n\u2028m", "\ud800", " "],
    [64, 65, 200, 201, 800, 801].flatMap((length) => [
      "x".repeat(length),
      " ".repeat(length),
      `e${marks}`.repeat(length),
    ]),
    [30, 31, 32].map((length) => `e${marks.repeat(length)}`),
  );
const values = [
  ...texts,
  ...texts.map((text) => [text]),
  ...texts.flatMap((text) => [
    [text, "true"],
    ["APS", text],
  ]),
  ["waiting", "done"],
  ["_id", "-type"],
  Array.from({ length: 500 }, () => "true"),
  Array.from({ length: 501 }, () => "true"),
];

test.each(Object.entries(sensorListQuery.shape))(
  "SE-01 %s: the list's address takes what the call takes",
  (name, schema) => {
    const accepted = values.filter((value) => schema.safeParse(value).success);
    expect(accepted.length).toBeGreaterThan(0);
    expect(values.filter((value) => pickValidSearch({ [name]: value }, sensorParameters)[name] !== undefined)).toEqual(
      accepted,
    );
  },
);

test("SE-01 the list's address has no parameter that the call lacks", () => {
  expect(Object.keys(sensorParameters).toSorted()).toEqual(Object.keys(sensorListQuery.shape).toSorted());
});
