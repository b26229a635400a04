// What is read of the live socket without the validator is what the contract's schema reads.
import { liveMessageSchema } from "@psp/contract/live/live.ts";
import { expect, test } from "vitest";
import { liveMessageIn } from "./live-message.ts";

const counts = { measID: null, sens: "a", type: "counting", from: "b", to: "c" };
const whole = [
  { type: "hello", seq: 1, cursor: "c1" },
  { type: "resync", seq: 2, cursor: "c2" },
  { type: "datapoint", op: "create", obj: counts, seq: 3, cursor: "c3" },
  { type: "datapoint", op: "create", obj: { ...counts, measID: "m" }, seq: 3, cursor: "c3" },
  ...["account", "role", "sensor", "measurement", "artifact", "init-token", "issue"].flatMap((type) =>
    ["create", "update", "delete"].map((op) => ({ type, op, obj: { _id: "x", version: 2 }, seq: 4, cursor: "c4" })),
  ),
];
const odd = [undefined, null, 0, -1, 1.5, 2 ** 60, "", "x", "toString", [], {}, { _id: 1 }, { _id: "y" }];
const changed = whole.flatMap((message) =>
  [...Object.keys(message), "more"].flatMap((name) => odd.map((value) => ({ ...message, [name]: value }))),
);
const changedCounts = [...Object.keys(counts), "more"].flatMap((name) =>
  odd.map((value) => ({ type: "datapoint", op: "create", obj: { ...counts, [name]: value }, seq: 3, cursor: "c3" })),
);

test("messages are read as the contract has them, and nothing else is one", () => {
  for (const message of whole) expect(liveMessageIn(message)).toEqual(message);
  for (const value of [...odd, ...whole, ...changed, ...changedCounts])
    expect(liveMessageIn(value), JSON.stringify(value)).toEqual(liveMessageSchema.safeParse(value).data ?? null);
});
