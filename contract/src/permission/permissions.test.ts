// Tests permissions documents, and the rule that no account grants more rights than it has (308, T-05).
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Actor, findExceedingScope } from "./can.ts";
import { asActor, forestArbitrary, makeTestId, permissionsArbitrary } from "./forest.testing.ts";
import { type AccountNode, type PermissionsDoc, wouldBeTooPowerful } from "./oracle.testing.ts";
import { fullPermissions, type Permissions, listScopes, withOwnAccountView } from "./permissions.ts";
import { permissionsSchema } from "./document.ts";
import { rounds, seedOf } from "../kit/rounds.testing.ts";

const all = { me: true, myChildren: true, roles: [makeTestId(2, 0, 1)], relativeAncestorLevel: 3 };
const kind = {
  canViewObject: all,
  canEditObject: all,
  canDeleteObject: all,
  canCreateObjectFor: all,
  canChangeOwner: { from: all, to: all },
};
/** An independent copy of the complete document (docs/rules/permissions.md#permission-document). */
const complete = {
  other: { canAssignRoles: all, canAssignSensors: all, canUseArtifact: all },
  ownable: { artifact: kind, measurement: kind, role: kind, file: kind, sensor: kind },
  owner: { canCreateOwner: true, canViewOwner: all, canEditOwner: all, canDeleteOwner: all },
} satisfies PermissionsDoc;

type Json = { [key: string]: Json | boolean | number | string[] };

function scopePlaces(at: Json, path: string[] = []): string[][] {
  if ("relativeAncestorLevel" in at) return [path];
  return Object.entries(at).flatMap(([key, below]) =>
    typeof below === "object" && !Array.isArray(below) ? scopePlaces(below, [...path, key]) : [],
  );
}

function docWith(path: string[], scope: object): PermissionsDoc {
  return path.reduceRight<object>((inner, key) => ({ [key]: inner }), scope);
}

const places = scopePlaces(complete).map((path) => [path.join("."), path] as const);
const mother = { id: makeTestId(1, 0, 2), parentAccounts: [makeTestId(1, 0, 1)], roleId: makeTestId(2, 0, 2) };
const actorWith = (permissions: Permissions | null): Actor => ({ ...mother, permissions });

describe("the document", () => {
  test("RO-03 holds every scope of the document and nothing unknown", () => {
    expect(places.length).toBe(3 + 5 * 6 + 3);
    expect(permissionsSchema.parse(complete)).toEqual(complete);
    expect(permissionsSchema.parse({})).toEqual({});
    for (const [, path] of places) {
      expect(permissionsSchema.safeParse(docWith(path, { ...all, relativeAncestorLevel: 101 })).success).toBe(false);
      expect(permissionsSchema.safeParse(docWith(path, { all: true })).success).toBe(false);
      expect(permissionsSchema.safeParse(docWith([...path.slice(0, -1), "canDoAnything"], all)).success).toBe(false);
    }
    expect(permissionsSchema.safeParse({ owner: { canCreateOwner: all } }).success).toBe(false);
    expect(permissionsSchema.safeParse({ ownable: { "init-token": kind } }).success).toBe(false);
  });

  test("listScopes lists each scope once, under its own key", () => {
    expect(
      listScopes(complete)
        .map(({ key }) => key)
        .toSorted(),
    ).toEqual(places.map(([key]) => key).toSorted());
    for (const [key, path] of places) {
      const marked = listScopes(docWith(path, { relativeAncestorLevel: 7 })).filter(({ scope }) => scope !== undefined);
      expect(marked).toEqual([{ key, scope: { relativeAncestorLevel: 7 } }]);
    }
  });

  test("withOwnAccountView adds `me` to the owner view and changes nothing else", () => {
    expect(withOwnAccountView({})).toEqual({ owner: { canViewOwner: { me: true } } });
    expect(withOwnAccountView({ owner: { canViewOwner: { me: false, myChildren: true } } })).toEqual({
      owner: { canViewOwner: { me: true, myChildren: true } },
    });
    expect(withOwnAccountView(complete)).toEqual(complete);
  });

  test("the first role holds every right over itself and everything below", () => {
    for (const { key, scope } of listScopes(fullPermissions))
      expect(scope, key).toEqual({ me: true, myChildren: true });
    expect(listScopes(fullPermissions).length).toBe(36);
    expect(fullPermissions.owner?.canCreateOwner).toBe(true);
    expect(permissionsSchema.parse(fullPermissions)).toEqual(fullPermissions);
  });
});

describe("RO-04 not more powerful than one's own role (308)", () => {
  test.each(places)("%s: each part is compared on its own, in its own place", (key, path) => {
    const givenToAll = key === "owner.canViewOwner";
    const parts: object[] = [
      { me: true },
      { myChildren: true },
      { roles: [makeTestId(2, 0, 1)] },
      { relativeAncestorLevel: 3 },
    ];
    for (const part of parts) {
      const wanted = docWith(path, part);
      const answer = givenToAll && "me" in part ? null : key;
      expect(findExceedingScope(actorWith({}), wanted), JSON.stringify(wanted)).toBe(answer);
      expect(findExceedingScope(actorWith(wanted), wanted)).toBeNull();
      expect(findExceedingScope(actorWith({}), wanted, wanted)).toBeNull();
      for (const lacking of parts.filter((one) => one !== part)) {
        // Everyone may view their own account, so `myChildren` alone is enough for any level.
        const isAnyLevel = givenToAll && "myChildren" in lacking && "relativeAncestorLevel" in part;
        expect(findExceedingScope(actorWith(docWith(path, lacking)), wanted)).toBe(isAnyLevel ? null : answer);
        expect(findExceedingScope(actorWith({}), wanted, docWith(path, lacking))).toBe(answer);
      }
      // A different scope with all rights must make no difference.
      for (const [elsewhere, otherPath] of places) {
        if (elsewhere === key || answer === null) continue;
        expect(findExceedingScope(actorWith(docWith(otherPath, all)), wanted), `${elsewhere} lent to ${key}`).toBe(key);
      }
    }
  });

  test.each<[number, number, number, boolean]>([
    [3, 3, 0, true],
    [2, 3, 0, true],
    [4, 3, 0, false],
    [1, 0, 0, false],
    [5, 1, 5, true],
    [4, 1, 5, true],
    [2, 1, 5, true],
    [6, 1, 5, false],
    [0, 0, 5, true],
  ])("level %i by an editor of level %i over a role of level %i: allowed %s", (level, own, before, allowed) => {
    const doc = (relativeAncestorLevel: number) => ({
      ownable: { sensor: { canEditObject: { relativeAncestorLevel } } },
    });
    expect(findExceedingScope(actorWith(doc(own)), doc(level), doc(before)) === null).toBe(allowed);
  });

  test("the right to create accounts is a grant like the others", () => {
    const create = { owner: { canCreateOwner: true } };
    expect(findExceedingScope(actorWith({}), create)).toBe("owner.canCreateOwner");
    expect(findExceedingScope(actorWith({ owner: { canCreateOwner: false } }), create)).toBe("owner.canCreateOwner");
    expect(findExceedingScope(actorWith(create), create)).toBeNull();
    expect(findExceedingScope(actorWith({}), create, create)).toBeNull();
    expect(findExceedingScope(actorWith({}), { owner: { canCreateOwner: false } }, create)).toBeNull();
    expect(
      findExceedingScope(actorWith({ ...complete, owner: { ...complete.owner, canCreateOwner: false } }), create),
    ).toBe("owner.canCreateOwner");
  });

  test("what was set may stay, a new part beside it may not", () => {
    const before = { ownable: { role: { canEditObject: { myChildren: true, relativeAncestorLevel: 4 } } } };
    const more = { ownable: { role: { canEditObject: { me: true, myChildren: true, relativeAncestorLevel: 4 } } } };
    const moved = { ownable: { sensor: { canEditObject: { myChildren: true } } } };
    expect(findExceedingScope(actorWith({}), before, before)).toBeNull();
    expect(findExceedingScope(actorWith({}), more, before)).toBe("ownable.role.canEditObject");
    expect(findExceedingScope(actorWith({}), moved, before)).toBe("ownable.sensor.canEditObject");
  });

  test("root is exempt, its children are not", () => {
    const root: Actor = { id: makeTestId(1, 0, 1), parentAccounts: [], roleId: null, permissions: {} };
    expect(findExceedingScope(root, complete)).toBeNull();
    expect(findExceedingScope({ ...root, parentAccounts: [makeTestId(1, 0, 9)] }, complete)).not.toBeNull();
  });

  test.each(places)("%s: with me and myChildren of the same right, any ancestor level is possible", (key, path) => {
    const level = docWith(path, { relativeAncestorLevel: 100 });
    expect(findExceedingScope(actorWith(fullPermissions), level)).toBeNull();
    const givenToAll = key === "owner.canViewOwner";
    expect(findExceedingScope(actorWith(docWith(path, { myChildren: true })), level)).toBe(givenToAll ? null : key);
    expect(findExceedingScope(actorWith(docWith(path, { me: true })), level)).toBe(key);
    for (const [, elsewhere] of places.filter(([other]) => other !== key && !givenToAll))
      expect(findExceedingScope(actorWith(docWith(elsewhere, { me: true, myChildren: true })), level)).toBe(key);
  });

  test("random editors, requests and roles before: agree with the oracle", () => {
    const ids = [0, 1].map((n) => makeTestId(2, 0, n));
    const counts = { refused: 0, allowed: 0 };
    const doc = permissionsArbitrary(ids);
    // Independent random documents nearly always exceed each other's rights, so `blend` takes most scopes of the request from the
    // editor's role and the previous document.
    const keep = fc.array(fc.nat({ max: 5 }), { minLength: 36, maxLength: 36 });
    fc.assert(
      fc.property(
        forestArbitrary({ maxAccounts: 3, maxRoles: 2 }),
        doc,
        doc,
        keep,
        ({ accounts }, requested, before, kept) => {
          for (const editor of accounts) {
            const mixed = blend(requested, [editor.role?.permissions ?? {}, before], kept);
            for (const wanted of [requested, mixed]) {
              const product = findExceedingScope(
                asActor(editor),
                permissionsSchema.parse(wanted),
                permissionsSchema.parse(before),
              );
              const oracle = wouldBeTooPowerful(editor, wanted, before);
              counts[oracle ? "refused" : "allowed"] += 1;
              if ((product !== null) !== oracle) {
                throw new Error(
                  `product ${product}, oracle ${oracle}: ${JSON.stringify({ wanted, before, own: ownOf(editor) })}`,
                );
              }
            }
          }
        },
      ),
      { seed: seedOf(308), numRuns: rounds(375, 3000) },
    );
    expect(counts.refused).toBeGreaterThan(rounds(250, 2000));
    expect(counts.allowed).toBeGreaterThan(rounds(250, 2000));
  });
});

function ownOf(editor: AccountNode): unknown {
  return { root: editor.parent === null, role: editor.role };
}

/** Takes each scope from one of `sources`, and rarely from `requested`. */
function blend(requested: PermissionsDoc, sources: PermissionsDoc[], kept: number[]): PermissionsDoc {
  const mixed = JSON.parse(JSON.stringify(complete)) as Json;
  const read = (doc: PermissionsDoc, path: string[]) =>
    path.reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], doc);
  for (const [n, [, path]] of places.entries()) {
    const pick = kept[n] ?? 0;
    const scope = read(pick === 5 && n % 6 === 0 ? requested : (sources[pick % sources.length] ?? {}), path) ?? {};
    const parent = path.slice(0, -1).reduce<Json>((at, key) => at[key] as Json, mixed);
    parent[path.at(-1) ?? ""] = scope as Json;
  }
  (mixed["owner"] as Json)["canCreateOwner"] = sources.some((doc) => doc.owner?.canCreateOwner === true);
  return mixed;
}
