// Test setup for the registration pages.
import type { Permissions } from "@psp/contract/permission/permissions.ts";
import { type StubbedResponse, type StubbedResponses, openConsole } from "../testing/console.tsx";

export const sensor = { id: "00:16:28:FA:00:01", type: "APS" };
export const claimedResponse = (id: string): StubbedResponse => ({ status: 200, body: [{ id, status: "CLAIMED" }] });

const mine = { me: true };
const registrar: Permissions = { ownable: { sensor: { canViewObject: mine, canCreateObjectFor: mine } } };
const me = {
  _id: "00000000-0000-7000-8000-000000000001",
  name: "Northwind",
  email: "north@example.com",
  role: { _id: "00000000-0000-7000-8000-000000000007", name: "Boss", owner: null },
  credentials: [{ email: "north@example.com" }],
  registrationInfo: [],
  parentAccounts: ["00000000-0000-7000-8000-000000000009"],
  status: { numActiveSessions: 0, lastSeenAt: null },
  readonlyAddress: false,
  ...Object.fromEntries(
    ["phone", "street", "streetNumber", "zip", "city", "country", "supplier"].map((one) => [one, null]),
  ),
  isDeleted: false,
  version: 1,
};

export function openRegister(end: string, answers: StubbedResponses, permissions: Permissions = registrar) {
  return openConsole(`/sensor/register${end}`, {
    "GET /api/auth/user": { status: 200, body: { ...me, permissions } },
    "GET /api/account": { status: 200, body: [] },
    "GET /api/v2/sensor": { status: 200, body: { objects: [], total: 0 } },
    ...answers,
  });
}
