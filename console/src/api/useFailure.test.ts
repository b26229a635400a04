// Tests that `parseRefusal`, which doesn't use zod, agrees with the contract's schema.
import { refusalDetails } from "@psp/contract/kit/refusal.ts";
import { expect, test } from "vitest";
import { parseRefusal } from "./useFailure.ts";

const object = { type: "sensor", id: "1", name: "one" };

test.each([
  {},
  { reason: "Because." },
  { reason: 7 },
  { reason: "Because.", object },
  { reason: "Because.", object: { ...object, more: true }, field: "owner" },
  { reason: "Because.", object: { ...object, type: "toString" } },
  { reason: "Because.", object: { ...object, type: undefined } },
  { reason: "Because.", object: { type: "role", id: "1" } },
  { reason: "Because.", object: { type: "role", id: 1, name: "one" } },
  { reason: "Because.", object: null },
  { reason: "Because.", object: "sensor" },
  ...["account", "artifact", "init-token", "measurement", "role"].map((type) => ({
    reason: "Because.",
    object: { ...object, type },
  })),
])("ER-01 %j is read as the contract has it", (details) => {
  expect(parseRefusal(details)).toEqual(refusalDetails.safeParse(details).data);
});
