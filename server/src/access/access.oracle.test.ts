// Random questions whether an account may do something and why, against facts that the oracle finds by walking the tree. 100,000 questions
// in the long form (`npm run prove`).
import { type AccessObject, explainRights, accessRights, type AccessType } from "@psp/contract/permission/access.ts";
import type { Known } from "@psp/contract/permission/explain.ts";
import { asActor, asOwner, forestArbitrary } from "@psp/contract/permission/forest.testing.ts";
import {
  type AccountNode,
  factOfReach,
  type Forest,
  mayAssignRole,
  mayAssignSensor,
  mayDo,
  maySeeFirmware,
  mayUseFirmware,
  mayWithAccount,
  type PermissionsDoc,
  rightsOf,
  type ScopeDoc,
} from "@psp/contract/permission/oracle.testing.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { rounds } from "@psp/contract/kit/rounds.testing.ts";

const questions = rounds(4000, 100_000);
const types = Object.keys(accessRights) as AccessType[];

type Question = {
  asker: AccountNode;
  owner: AccountNode;
  type: AccessType;
  roleId: string;
  opened: boolean;
  hasChildren: boolean;
  seesRole: boolean;
  seesOwner: boolean;
  roles: Map<string, string>;
};
type Answer = { allowed: boolean; reason: string };

const nameOf = (id: string) => `N${id.slice(-4)}`;

// ---- expected sentences, from the oracle's facts ----

function scopeIn(doc: PermissionsDoc, key: string): ScopeDoc | undefined {
  let at: unknown = doc;
  for (const part of key.split(".")) at = (at as Record<string, unknown> | undefined)?.[part];
  return at as ScopeDoc | undefined;
}

function joined(words: string[], by: string): string {
  const copy = [...words];
  const last = copy.pop() ?? "";
  return copy.length > 0 ? [copy.join(", "), last].join(` ${by} `) : last;
}

function roleWords(ids: string[], roles: Map<string, string>): string {
  const unique = ids.filter((id, n) => ids.indexOf(id) === n);
  const seen = unique.filter((id) => roles.has(id)).map((id) => roles.get(id) ?? "");
  const others = unique.length - seen.length;
  if (seen.length > 0) return `accounts with role ${joined(others > 0 ? [...seen, `${others} more`] : seen, "or")}`;
  return others === 1
    ? "accounts with a role that you can't view"
    : `accounts with ${others} roles that you can't view`;
}

function sentence({ asker, owner, seesRole, seesOwner, roles }: Question, scope: ScopeDoc | undefined): string {
  if (rightsOf(asker) === null) return "The account has no role.";
  const who = seesOwner ? `owner ${nameOf(owner.id)}` : "the owner";
  const fact = factOfReach(asker, scope, owner);
  const where =
    fact.part === "own"
      ? "is the own account"
      : fact.part === "role"
        ? roles.has(fact.role.id)
          ? `holds role ${nameOf(fact.role.id)}`
          : "holds a role that you can't view"
        : fact.part === "none"
          ? "is none of them"
          : `is ${fact.steps} ${fact.part}`;
  if (!seesRole) {
    const hidden = "The account has a role that you can't view; ";
    if (fact.part === "none") return `${hidden}it does not reach ${who}.`;
    return seesOwner ? `${hidden}${who} ${where}.` : `${hidden}it reaches the owner.`;
  }
  const words = [];
  if (scope?.me === true) words.push("the own account");
  if (scope?.myChildren === true) words.push("all below");
  if ((scope?.relativeAncestorLevel ?? 0) > 0) words.push(`${scope?.relativeAncestorLevel} above`);
  if ((scope?.roles ?? []).length > 0) words.push(roleWords(scope?.roles ?? [], roles));
  const role = `Role ${nameOf(asker.role?.id ?? "")} reaches`;
  // cspell:disable-next-line
  if (words.length === 0) return `${role} nobody.`;
  const end = fact.part === "none" || seesOwner ? where : "is one of them";
  return `${role} ${joined(words, "and")}; ${who} ${end}.`;
}

// ---- expected verdicts, call by call ----

const refused = (reason: string): Answer => ({ allowed: false, reason });

/** The right's own requirement, then others with the words that introduce them. */
function all(own: Answer, ...others: [string, Answer][]): Answer {
  if (!own.allowed) return own;
  for (const [lead, { allowed, reason }] of others)
    if (!allowed) return refused(reason.startsWith("It is out of view") || lead === "" ? reason : `${lead} ${reason}`);
  return own;
}

function expected(question: Question): Record<string, Answer> {
  const { asker, owner, type, opened, seesOwner, seesRole } = question;
  const doc = rightsOf(asker);
  const say = (key: string, extra: ScopeDoc = {}) =>
    sentence(question, { ...(doc ? scopeIn(doc, key) : {}), ...extra });
  const above = (() => {
    let steps = 0;
    for (let at: AccountNode | null = asker; at !== null && at !== owner; at = at.parent) steps += 1;
    return steps;
  })();
  const openedWords = `The firmware is opened to all accounts below its owner${
    seesOwner ? `; owner ${nameOf(owner.id)} is ${above} above` : ""
  }.`;

  if (type === "owner") {
    const view = { allowed: mayWithAccount(asker, "view", owner), reason: say("owner.canViewOwner", { me: true }) };
    const edit = all({ allowed: mayWithAccount(asker, "edit", owner), reason: say("owner.canEditOwner") }, [
      "It is out of view.",
      view,
    ]);
    const isRoot = owner.parent === null;
    const mayDelete = { allowed: mayWithAccount(asker, "delete", owner), reason: say("owner.canDeleteOwner") };
    const remove = !mayDelete.allowed
      ? mayDelete
      : isRoot
        ? refused("The root account can't be deleted.")
        : question.hasChildren
          ? refused("The account has accounts below it.")
          : mayDelete;
    const give = { allowed: mayAssignRole(asker, owner), reason: say("other.canAssignRoles") };
    return {
      view,
      edit,
      delete: all(remove, ["It is out of view.", view]),
      assignRoles: all(give.allowed && isRoot ? refused("The root account keeps its role.") : give, [
        "It can't be edited.",
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
  const edit = all(plain("edit", "Edit"), ["It is out of view.", view]);
  const reachesSome = (scope: ScopeDoc | undefined) =>
    scope?.me === true ||
    scope?.myChildren === true ||
    (scope?.roles ?? []).length > 0 ||
    ((scope?.relativeAncestorLevel ?? 0) > 0 && asker.parent !== null);
  const receivers =
    reachesSome(doc?.ownable?.[type]?.canChangeOwner?.to) &&
    (type !== "sensor" || reachesSome(doc?.other?.canAssignSensors));
  const toNone = seesRole
    ? // cspell:disable-next-line
      `Role ${nameOf(asker.role?.id ?? "")} reaches nobody.`
    : "The account has a role that you can't view; it does not give this.";
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
    delete: all(plain("delete", "Delete"), ["It is out of view.", view]),
    changeOwner: all(
      {
        allowed: mayDo(asker, "changeOwnerFrom", type, owner),
        reason: say(`ownable.${type}.canChangeOwner.from`),
      },
      ["It can't be edited.", edit],
      ["There is no account to give it to.", { allowed: receivers, reason: toNone }],
    ),
    ...(type === "sensor" && {
      assign: all(assigns, ["It can't be edited.", edit], ["Locations of its owner are out of view.", places]),
    }),
    ...(type === "measurement" && { assign: all(assigns, ["It is out of view.", view]) }),
    ...(type === "artifact" && {
      use: all({ allowed: uses, reason: uses && !usesItself ? openedWords : say("other.canUseArtifact") }, [
        "It is out of view.",
        view,
      ]),
    }),
  };
}

// ---- questions ----

function asked(question: Question): Record<string, Answer> {
  const { asker, type, roleId, opened, hasChildren, seesRole, seesOwner, roles } = question;
  const owner = asOwner(question.owner);
  const object: AccessObject =
    type === "role"
      ? { type, id: roleId, owner }
      : type === "artifact"
        ? { type, owner, objPerm: { childrenCanViewObject: opened } }
        : type === "owner"
          ? { type, owner, hasChildren }
          : { type, owner };
  const known: Known = {
    role: seesRole ? nameOf(asker.role?.id ?? "") : null,
    owner: seesOwner ? nameOf(question.owner.id) : null,
    roles,
  };
  return explainRights(asActor(asker), object, known);
}

/** Questions per tree, drawn by a seed. */
const perTree = 100;

function draw({ accounts, roles }: Forest, seed: number): Question[] {
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
    "is the own account.",
    "is n below.",
    "is n above.",
    "holds role *.",
    "is none of them.",
    "is one of them.",
    "The account has no role.",
    "opened to all accounts below",
    "the own account, all below and n above;",
    "accounts with role * or *",
    "It is out of view.",
    "It can't be edited.",
    "There is no account to give it to.",
    "Locations of its owner are out of view.",
    "keeps its role.",
    "own role.",
  ])
    expect(sentences).toContain(part);
}, 300_000);
