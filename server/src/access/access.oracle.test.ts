// Compares access explanations for random accounts and objects with an oracle that walks the account tree. `npm run prove` checks
// 100,000 of them.
import { type AccessObject, explainRights, accessRights, type AccessType } from "@psp/contract/permission/access.ts";
import type { VisibleNames } from "@psp/contract/permission/explain.ts";
import { asActor, asOwner, forestArbitrary } from "@psp/contract/permission/forest.testing.ts";
import {
  type AccountNode,
  type Forest,
  mayAssignRole,
  mayAssignSensor,
  mayDo,
  maySeeFirmware,
  mayUseFirmware,
  mayActOnAccount,
  rightsOf,
  type ScopeDoc,
} from "@psp/contract/permission/oracle.testing.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { rounds } from "@psp/contract/kit/rounds.testing.ts";
import { nameOf, type ScopeQuestion, findScope, buildSentence, formatSteps } from "./access.sentence.testing.ts";

const questions = rounds(4000, 100_000);
const types = Object.keys(accessRights) as AccessType[];

type Answer = { allowed: boolean; reason: string };

// ---- expected answers, by right ----

const refused = (reason: string): Answer => ({ allowed: false, reason });

/** Returns the first refusal, or `own` if all answers allow the call. The phrases in `others` introduce the refusal's reason. */
function all(own: Answer, ...others: [string, Answer][]): Answer {
  if (!own.allowed) return own;
  for (const [lead, { allowed, reason }] of others)
    if (!allowed)
      return refused(
        reason.startsWith("The account can't see this object.") || lead === "" ? reason : `${lead} ${reason}`,
      );
  return own;
}

function expected(question: ScopeQuestion): Record<string, Answer> {
  const { asker, owner, type, opened, seesOwner, seesRole } = question;
  const doc = rightsOf(asker);
  const say = (key: string, extra: ScopeDoc = {}) =>
    buildSentence(question, { ...(doc ? findScope(doc, key) : {}), ...extra });
  const above = (() => {
    let steps = 0;
    for (let at: AccountNode | null = asker; at !== null && at !== owner; at = at.parent) steps += 1;
    return steps;
  })();
  const opener = seesOwner ? `${nameOf(owner.id)}, ${formatSteps(above, "above")},` : "The owner";
  const openedWords = `${opener} shares this firmware with all its sub-accounts.`;

  if (type === "owner") {
    const view = { allowed: mayActOnAccount(asker, "view", owner), reason: say("owner.canViewOwner", { me: true }) };
    const edit = all({ allowed: mayActOnAccount(asker, "edit", owner), reason: say("owner.canEditOwner") }, [
      "The account can't see this object.",
      view,
    ]);
    const isRoot = owner.parent === null;
    const mayDelete = { allowed: mayActOnAccount(asker, "delete", owner), reason: say("owner.canDeleteOwner") };
    const remove = !mayDelete.allowed
      ? mayDelete
      : isRoot
        ? refused("The root account can't be deleted.")
        : question.hasChildren
          ? refused("The account has sub-accounts.")
          : mayDelete;
    const give = { allowed: mayAssignRole(asker, owner), reason: say("other.canAssignRoles") };
    return {
      view,
      edit,
      delete: all(remove, ["The account can't see this object.", view]),
      assignRoles: all(give.allowed && isRoot ? refused("The root account keeps its role.") : give, [
        "The account can't edit this object.",
        edit,
      ]),
    };
  }

  const sees =
    type === "artifact" ? maySeeFirmware(asker, { owner, childrenCanView: opened }) : mayDo(asker, "view", type, owner);
  const seesItself = mayDo(asker, "view", type, owner);
  const view = { allowed: sees, reason: sees && !seesItself ? openedWords : say(`ownable.${type}.canViewObject`) };
  const holds = type === "role" && doc !== null && asker.role?.id === question.roleId;
  const own = refused("This is the account's own role.");
  const plain = (verb: "edit" | "delete", word: string): Answer =>
    holds ? own : { allowed: mayDo(asker, verb, type, owner), reason: say(`ownable.${type}.can${word}Object`) };
  const edit = all(plain("edit", "Edit"), ["The account can't see this object.", view]);
  const reachesSome = (scope: ScopeDoc | undefined) =>
    scope?.me === true ||
    scope?.myChildren === true ||
    (scope?.roles ?? []).length > 0 ||
    ((scope?.relativeAncestorLevel ?? 0) > 0 && asker.parent !== null);
  const receivers =
    reachesSome(doc?.ownable?.[type]?.canChangeOwner?.to) &&
    (type !== "sensor" || reachesSome(doc?.other?.canAssignSensors));
  const toNone = seesRole
    ? `"${nameOf(asker.role?.id ?? "")}" doesn't include this permission.`
    : "The account has a role that you can't view. It doesn't include this permission.";
  const assigns = { allowed: mayAssignSensor(asker, owner), reason: say("other.canAssignSensors") };
  const uses = mayUseFirmware(asker, { owner, childrenCanView: opened });
  const usesItself = mayUseFirmware(asker, { owner, childrenCanView: false });
  const places = {
    allowed: mayDo(asker, "view", "measurement", owner),
    reason: say("ownable.measurement.canViewObject"),
  };
  return {
    view,
    edit,
    delete: all(plain("delete", "Delete"), ["The account can't see this object.", view]),
    changeOwner: all(
      {
        allowed: mayDo(asker, "changeOwnerFrom", type, owner),
        reason: say(`ownable.${type}.canChangeOwner.from`),
      },
      ["The account can't edit this object.", edit],
      ["There is no account to hand it over to.", { allowed: receivers, reason: toNone }],
    ),
    ...(type === "sensor" && {
      assign: all(
        assigns,
        ["The account can't edit this object.", edit],
        ["The account can't see the owner's locations.", places],
      ),
    }),
    ...(type === "measurement" && { assign: all(assigns, ["The account can't see this object.", view]) }),
    ...(type === "artifact" && {
      use: all({ allowed: uses, reason: uses && !usesItself ? openedWords : say("other.canUseArtifact") }, [
        "The account can't see this object.",
        view,
      ]),
    }),
  };
}

// ---- questions ----

function asked(question: ScopeQuestion): Record<string, Answer> {
  const { asker, type, roleId, opened, hasChildren, seesRole, seesOwner, isReader, roles } = question;
  const owner = asOwner(question.owner);
  const object: AccessObject =
    type === "role"
      ? { type, id: roleId, owner }
      : type === "artifact"
        ? { type, owner, objPerm: { childrenCanViewObject: opened } }
        : type === "owner"
          ? { type, owner, hasChildren }
          : { type, owner };
  const known: VisibleNames = {
    role: seesRole ? nameOf(asker.role?.id ?? "") : null,
    owner: seesOwner ? nameOf(question.owner.id) : null,
    roles,
    isReader,
  };
  return explainRights(asActor(asker), object, known);
}

/** Random questions per account tree. */
const perTree = 100;

function draw({ accounts, roles }: Forest, seed: number): ScopeQuestion[] {
  let state = seed;
  const chance = (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return (state >> 8) % below;
  };
  const one = <T>(from: readonly T[]) => from[chance(from.length)] as T;
  return Array.from({ length: perTree }, () => ({
    asker: one(accounts),
    owner: one(accounts),
    type: one(types),
    roleId: one(roles).id,
    opened: chance(2) === 0,
    hasChildren: chance(2) === 0,
    seesRole: chance(4) > 0,
    seesOwner: chance(4) > 0,
    isReader: chance(2) === 0,
    roles: new Map(roles.filter(() => chance(3) > 0).map(({ id }) => [id, nameOf(id)])),
  }));
}

test("PE-01 random questions: what an account may do with an object, and the reason, agree with the oracle", () => {
  const seen = new Map<string, number>();
  const note = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1);
  let asks = 0;
  fc.assert(
    fc.property(forestArbitrary({ maxAccounts: 14 }), fc.nat(), (forest, seed) => {
      for (const question of draw(forest, seed)) {
        asks += 1;
        const said = asked(question);
        expect(said).toEqual(expected(question));
        expect(Object.keys(said)).toEqual([...accessRights[question.type]]);
        for (const [right, { allowed, reason }] of Object.entries(said)) {
          note(`${question.type} ${right} ${allowed}`);
          note(reason.replaceAll(/N[0-9a-f]{4}/g, "*").replaceAll(/\d+/g, "n"));
        }
      }
    }),
    { seed: 12, numRuns: questions / perTree },
  );
  expect(asks).toBe(questions);
  for (const type of types)
    for (const right of accessRights[type])
      for (const allowed of [true, false])
        expect(seen.get(`${type} ${right} ${allowed}`), `${type} ${right} ${allowed}`).toBeGreaterThan(5);
  const sentences = [...seen.keys()].join("\n");
  for (const part of [
    "This object belongs to your account.",
    "This is the account itself.",
    "*, a sub-account.",
    "* is a sub-account n levels below.",
    "*, the parent account.",
    "*, a parent account n levels above.",
    "which has the role *.",
    "which is neither.",
    "which is none of these.",
    "covers only",
    "That includes the owner of this object.",
    "That doesn't include *.",
    "The account has no role.",
    "shares this firmware with all its sub-accounts",
    "covers your account, its sub-accounts and its n nearest parent accounts.",
    "accounts with the role * or *",
    "The account can't see this object.",
    "The account can't edit this object.",
    "There is no account to hand it over to.",
    "The account can't see the owner's locations.",
    "keeps its role.",
    "own role.",
  ])
    expect(sentences).toContain(part);
}, 300_000);
