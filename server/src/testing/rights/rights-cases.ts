// All cases of the permission matrix by name, and the expected lists.
import type { AccountNode, Forest } from "@psp/contract/permission/oracle.testing.ts";
import { objectIdsOf } from "./account-forest.ts";
import { aboutAccounts, assignmentCases, seesRole } from "./rights-accounts.ts";
import {
  casesForObject,
  creationCase,
  isVisibleAccount,
  type CaseFactory,
  seesThing,
  type Thing,
  thingKinds,
} from "./rights-things.ts";

export const rightsCases: Record<string, CaseFactory> = {
  ...Object.assign({}, ...thingKinds.map(casesForObject)),
  ...Object.fromEntries(
    (["sensor", "location", "role", "initToken"] as const).map((thing) => [`create ${thing} for`, creationCase(thing)]),
  ),
  ...aboutAccounts,
  ...assignmentCases,
};

export function listsOf(forest: Forest, asker: AccountNode): { path: string; ids: string[] }[] {
  const owned = (things: Thing[]) =>
    forest.accounts.flatMap((owner, n) =>
      things.filter((thing) => seesThing(asker, thing, owner)).map((thing) => objectIdsOf(n)[thing]),
    );
  const heldRoles = forest.roles.filter((role) => seesRole(forest, asker, role)).map(({ id }) => id);
  const accounts = forest.accounts.filter((node) => isVisibleAccount(asker, node)).map(({ id }) => id);
  return [
    { path: "/api/v2/sensor", ids: owned(["sensor"]) },
    { path: "/api/v2/measurement", ids: owned(["location"]) },
    { path: "/api/role", ids: [...owned(["role"]), ...heldRoles] },
    { path: "/api/init_token", ids: owned(["initToken"]) },
    { path: "/api/artifact", ids: owned(["firmware", "firmwareForChildren"]) },
    { path: "/api/account", ids: accounts },
  ];
}
