// Generates random account trees for permission tests, with deep chains, deleted accounts and roles, and accounts without a role.
import fc from "fast-check";
import type { Actor } from "./can.ts";
import {
  type AccountNode,
  type Forest,
  type PermissionsDoc,
  type RoleNode,
  type ScopeDoc,
  rightsOf,
} from "./oracle.testing.ts";
import { permissionsSchema } from "./document.ts";
import type { Owner } from "./scope.ts";

/**
 * Returns a valid UUIDv7 for the n-th object of a tree. `kindDigit` separates accounts, roles and objects; `world` separates
 * trees.
 */
export function makeTestId(kindDigit: number, world: number, n: number): string {
  const tail = (world * 100_000 + n).toString(16).padStart(12, "0");
  return `0190a000-000${kindDigit}-7000-8000-${tail}`;
}

/** Generates random scopes with edge cases: missing parts, level 0, levels above the root, unknown roles. */
export function scopeArbitrary(roleIds: string[]): fc.Arbitrary<ScopeDoc | undefined> {
  const scope = fc
    .tuple(
      fc.constantFrom(undefined, false, true),
      fc.constantFrom(undefined, false, true),
      fc.option(fc.subarray([...roleIds, makeTestId(9, 0, 1)], { maxLength: 2 }), { nil: undefined, freq: 2 }),
      fc.constantFrom(undefined, undefined, 0, 0, 1, 2, 3, 4, 5, 6, 40, 100),
    )
    .map(([me, myChildren, roles, relativeAncestorLevel]) => ({
      ...(me === undefined ? {} : { me }),
      ...(myChildren === undefined ? {} : { myChildren }),
      ...(roles === undefined ? {} : { roles }),
      ...(relativeAncestorLevel === undefined ? {} : { relativeAncestorLevel }),
    }));
  return fc.option(scope, { nil: undefined, freq: 5 });
}

function without<T extends object>(parts: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined)) as never;
}

export function permissionsArbitrary(roleIds: string[]): fc.Arbitrary<PermissionsDoc> {
  const scope = scopeArbitrary(roleIds);
  const kind = fc
    .record({
      canViewObject: scope,
      canEditObject: scope,
      canDeleteObject: scope,
      canCreateObjectFor: scope,
      canChangeOwner: fc.option(fc.record({ from: scope, to: scope }).map(without), { nil: undefined }),
    })
    .map(without);
  const maybeKind = fc.option(kind, { nil: undefined });
  return fc
    .record({
      other: fc.option(
        fc.record({ canAssignRoles: scope, canAssignSensors: scope, canUseArtifact: scope }).map(without),
        { nil: undefined },
      ),
      ownable: fc.option(
        fc
          .record({ artifact: maybeKind, measurement: maybeKind, role: maybeKind, file: maybeKind, sensor: maybeKind })
          .map(without),
        { nil: undefined, freq: 12 },
      ),
      owner: fc.option(
        fc
          .record({
            canCreateOwner: fc.constantFrom(undefined, false, true),
            canViewOwner: scope,
            canEditOwner: scope,
            canDeleteOwner: scope,
          })
          .map(without),
        { nil: undefined },
      ),
    })
    .map(without) as fc.Arbitrary<PermissionsDoc>;
}

export const maxDepth = 16;

function plant(
  world: number,
  roles: RoleNode[],
  seeds: { up: number; role: number | null; deleted: boolean }[],
): AccountNode[] {
  const accounts: AccountNode[] = [];
  const depth = (account: AccountNode): number => (account.parent === null ? 0 : 1 + depth(account.parent));
  for (const [n, seed] of seeds.entries()) {
    let parent = n === 0 ? null : (accounts[Math.max(0, n - 1 - seed.up)] ?? null);
    while (parent !== null && depth(parent) >= maxDepth) parent = parent.parent;
    const role = seed.role === null ? null : (roles[seed.role % roles.length] ?? null);
    const account: AccountNode = { id: makeTestId(1, world, n), parent, children: [], role, deleted: seed.deleted };
    parent?.children.push(account);
    accounts.push(account);
  }
  return accounts;
}

/**
 * Generates a random tree with chains up to depth 16, soft-deleted accounts, accounts without a role, and deleted roles. Give
 * each tree in a database another `world`, so that their ids differ.
 */
export function forestArbitrary(options: {
  world?: number;
  maxAccounts: number;
  minAccounts?: number;
  maxRoles?: number;
}): fc.Arbitrary<Forest> {
  const world = options.world ?? 0;
  const maxRoles = options.maxRoles ?? 4;
  const ids = Array.from({ length: maxRoles }, (_, n) => makeTestId(2, world, n));
  const role = fc.record({
    permissions: permissionsArbitrary(ids),
    deleted: fc.integer({ min: 0, max: 9 }).map((n) => n === 9),
  });
  const up = fc.oneof(
    { weight: 5, arbitrary: fc.constant(0) },
    { weight: 2, arbitrary: fc.integer({ min: 1, max: 4 }) },
    { weight: 2, arbitrary: fc.nat({ max: options.maxAccounts }) },
  );
  const seed = fc.record({
    up,
    role: fc.option(fc.nat({ max: 31 }), { nil: null, freq: 9 }),
    deleted: fc.integer({ min: 0, max: 7 }).map((n) => n === 7),
  });
  return fc
    .tuple(
      fc.array(role, { minLength: 1, maxLength: maxRoles }),
      fc.array(seed, {
        minLength: options.minAccounts ?? Math.min(2, options.maxAccounts),
        maxLength: options.maxAccounts,
        size: "max",
      }),
    )
    .map(([made, seeds]) => {
      const roles = made.map((each, n): RoleNode => ({ id: ids[n] ?? "", ...each }));
      return { roles, accounts: plant(world, roles, seeds) };
    });
}

/** Ids from the root to the parent, in the order of `parentAccounts`. */
export function ancestorIds(account: AccountNode): string[] {
  return account.parent === null ? [] : [...ancestorIds(account.parent), account.parent.id];
}

export function asOwner(account: AccountNode): Owner {
  return { id: account.id, parentAccounts: ancestorIds(account), roleId: account.role?.id ?? null };
}

export function asActor(account: AccountNode): Actor {
  const rights = rightsOf(account);
  return { ...asOwner(account), permissions: rights === null ? null : permissionsSchema.parse(rights) };
}
