// Tests reading the operator's data from the environment, with the example as default.
import { expect, test } from "vitest";
import { exampleOperator, readOperator } from "./operator.ts";

test("LE-01 the operator of the legal pages is configured fact by fact", () => {
  const operator = readOperator({ OPERATOR_NAME: "Zähler GmbH", OPERATOR_VAT_ID: "DE123456789", OPERATOR_PHONE: "" });
  expect(operator).toEqual({ ...exampleOperator, name: "Zähler GmbH", vatId: "DE123456789" });
  expect(readOperator({ VITE_OPERATOR_PRIVACY_OFFICER: "Ada, ada@example.com" }, "VITE_").privacyOfficer).toBe(
    "Ada, ada@example.com",
  );
});
