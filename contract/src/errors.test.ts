// Compares the error catalog with an independent copy of the tables in docs/rules/errors.md#server-codes.
import { describe, expect, test } from "vitest";
import {
  clientErrors,
  errorCode,
  errorEntries,
  errorEntry,
  isServerErrorCode,
  sensorErrors,
  serverErrors,
} from "./errors.ts";

type Row = [code: number, status: number, sentence: string];

const server: Row[] = [
  [100, 500, "A database error occured."],
  [101, 500, "An internal server error occured."],
  [102, 400, "An invalid argument was given."],
  [103, 400, "The given owner is invalid."],
  [104, 400, "An argument is missing."],
  [105, 404, "Not found."],
  [106, 401, "Unauthorized access."],
  [107, 400, "The given role is invalid."],
  [108, 400, "The name is missing."],
  [109, 409, "Name is already used."],
  [200, 400, "Credentials are missing."],
  [201, 400, "An email address can only be used once per account."],
  [202, 400, "Email is missing."],
  [409, 409, "Email is already used."],
  [204, 400, "Invalid email."],
  [205, 400, "Invalid password."],
  [206, 400, "Password is missing."],
  [207, 409, "Account registration incomplete. Please complete the registration before changing the credentials."],
  [300, 403, "No permission to assign the given role."],
  [301, 403, "No permission to assign the given sensor."],
  [302, 403, "No permission to change the owner."],
  [303, 403, "No permission to create the given entity."],
  [304, 403, "No permission to delete the given entity."],
  [305, 403, "No permission to edit the given entity."],
  [306, 403, "No permission."],
  [307, 503, "Failed to check permission, please try again."],
  [308, 403, "The role can not have more powerful permissions than your own role."],
  [309, 403, "No permission to use the given artifact."],
  [310, 403, "No permission to view the given entity."],
  [400, 400, "Invalid input. Remove special characters like '<>', '[]', '{}'."],
  [401, 400, "Data point does not comply with its data type format."],
  [402, 400, "A given field has an invalid type."],
];

const sensor: Row[] = [
  [500, 502, "Sensor error"],
  [501, 502, "Com-link error (measurement)"],
  [502, 502, "Failed to handle message (measurement)"],
  [503, 502, "Invalid RPC to measurement"],
  [504, 504, "Forwarding RPC failed (measurement)"],
  [505, 502, "Replying to RPC failed (measurement)"],
  [506, 502, "Failed to terminate measurement service"],
  [507, 502, "Failed to configure measurement"],
  [508, 502, "Changing measurement configuration failed"],
  [509, 502, "Com-link error (sensor)"],
  [510, 502, "Failed to handle message (sensor)"],
  [511, 502, "Failed to terminate sensor service"],
];

const client: [number, string][] = [
  [1, "cantChangeOwnerFrom"],
  [2, "createForEmpty"],
  [3, "noAccount"],
  [4, "noAccountAssignable"],
  [5, "noRole"],
  [6, "noRoleAssignable"],
  [7, "noSensor"],
  [8, "noSensorAssignable"],
  [9, "noArtifact"],
  [10, "noArtifactAssignable"],
  [11, "serverConnectionError"],
  [12, "sensorSnapshotFailed"],
  [13, "requestFailed"],
];

const numbers = (catalogue: Record<string, { code: number }>) => Object.values(catalogue).map(({ code }) => code);
const ascending = (a: number, b: number) => a - b;

describe("catalogue", () => {
  test.each([...server, ...sensor])("code %i travels with status %i: %s", (code, status, sentence) => {
    expect(isServerErrorCode(code)).toBe(true);
    if (isServerErrorCode(code)) expect(errorEntry(code)).toMatchObject({ status, message: sentence });
  });

  test("holds these codes and no others", () => {
    expect(numbers(serverErrors).toSorted(ascending)).toEqual(server.map(([code]) => code).toSorted(ascending));
    expect(numbers(sensorErrors).toSorted(ascending)).toEqual(sensor.map(([code]) => code).toSorted(ascending));
    expect(Object.entries(clientErrors).map(([name, { code }]) => [code, name])).toEqual(client);
  });

  test("every code has a name of its own", () => {
    expect(new Set(errorEntries.map(({ name }) => name)).size).toBe(server.length + sensor.length);
    for (const { name, code } of errorEntries) expect(errorCode[name]).toBe(code);
  });

  test.each([0, 1, 13, 99, 110, 203, 208, 299, 311, 403, 404, 499, 512, 1.5, -100, Number.NaN])(
    "%d is no server or sensor code",
    (code) => {
      expect(isServerErrorCode(code)).toBe(false);
    },
  );
});
