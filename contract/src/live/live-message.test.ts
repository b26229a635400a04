// Tests parsing of live messages, with many invalid values for every field.
import { expect, test } from "vitest";
import { liveOps, liveTypes, parseLiveMessage } from "./live-message.ts";

type Fields = Record<string, unknown>;
type Accepts = (value: unknown) => boolean;
const isText: Accepts = (value) => typeof value === "string";
const isNumber: Accepts = (value) => [0, -1].includes(value as number);
const isOneOf =
  (...words: unknown[]): Accepts =>
  (value) =>
    words.includes(value);

const odd = [undefined, null, 0, -1, 1.5, 2 ** 60, "", "x", "toString", [], {}, { _id: 1 }, { _id: "y" }];
const words = [...liveTypes, ...liveOps, "datapoint", "counting", "hello", "resync"];

/** All kinds of messages, each with the values that its fields accept. */
const messages: [name: string, message: Fields, accepts: Record<string, Accepts>][] = [
  ...["hello", "resync"].map((type): (typeof messages)[number] => [
    type,
    { type },
    { type: isOneOf("hello", "resync") },
  ]),
  ...liveTypes.flatMap((type) =>
    liveOps.map((op): (typeof messages)[number] => [
      `${type} ${op}`,
      { type, op, obj: { _id: "x", version: 2 } },
      // The types `hello` and `resync` are accepted, too, because those messages ignore `op` and `obj`.
      {
        type: isOneOf(...liveTypes, "hello", "resync"),
        op: isOneOf(...liveOps),
        obj: (value) => isText((value as Fields | null | undefined)?.["_id"]),
      },
    ]),
  ),
  ...[null, "m"].map((measID): (typeof messages)[number] => [
    `counts of ${measID ?? "no location"}`,
    { type: "datapoint", op: "create", obj: { measID, sens: "a", type: "counting", from: "b", to: "c" } },
    { type: isOneOf("datapoint", "hello", "resync"), op: isOneOf("create"), obj: () => false },
  ]),
];

test.each(messages)("a message of the live channel: %s", (_, message, accepts) => {
  const whole = { ...message, seq: 1, cursor: "c1" };
  expect(parseLiveMessage(whole)).toEqual(whole);
  expect(parseLiveMessage({ ...whole, more: 1 })).toEqual(whole);
  for (const [field, isGood] of Object.entries({ seq: isNumber, cursor: isText, ...accepts })) {
    expect(parseLiveMessage({ ...whole, [field]: undefined }), `${field} is missing`).toBeNull();
    for (const value of [...odd, ...words]) {
      const parsed = parseLiveMessage({ ...whole, [field]: value });
      expect(parsed !== null, `${field}: ${JSON.stringify(value)}`).toBe(isGood(value));
      if (parsed !== null) expect(parsed).toHaveProperty(field, value);
    }
  }
});

test.each(["measID", "sens", "type", "from", "to"])("counts with a wrong %s are no message", (field) => {
  const obj = { measID: "m", sens: "a", type: "counting", from: "b", to: "c" };
  const counts = (changed: Fields) =>
    parseLiveMessage({ type: "datapoint", op: "create", obj: { ...obj, ...changed }, seq: 1, cursor: "c1" });
  const isGood: Accepts =
    field === "type" ? isOneOf("counting") : (value) => isText(value) || (field === "measID" && value === null);
  for (const value of [...odd, ...words]) {
    const parsed = counts({ [field]: value });
    expect(parsed !== null, JSON.stringify(value)).toBe(isGood(value));
  }
  expect(counts({ more: 1 })).toHaveProperty("obj", obj);
});

test.each([...odd, "hello", ["hello"]].map((value) => [value]))("%j is no message", (value) => {
  expect(parseLiveMessage(value)).toBeNull();
});
