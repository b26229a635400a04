// Tests the rules for changing logins, and the tree of search hits.
import type { Account } from "@psp/contract/account/account.ts";
import { describe, expect, test } from "vitest";
import { emailError } from "../invitation/email-error.ts";
import { treeOf, loginDeletionRefusalReason, loginsLockedReason } from "./account.rules.ts";
import {
  toCredentialChanges,
  currentPasswordError,
  emptyDraft,
  passwordErrors,
} from "./credentials/credentials.draft.ts";

const login = (email: string, step: number) => ({ email, step });
const node = (name: string, ...parentAccounts: string[]) => ({ _id: name, name, parentAccounts }) as unknown as Account;

describe("AC-11 which credentials may change", () => {
  const [done, other, invited] = [login("a@x.de", 2), login("b@x.de", 2), login("c@x.de", 0)];
  test.each([
    ["no credentials yet", [], undefined],
    ["one is complete", [done, invited], undefined],
    ["none is complete", [invited], "You can change the logins once the registration of one of them is complete"],
  ])("%s", (_, logins, reason) => expect(loginsLockedReason(logins)).toBe(reason));
  test.each([
    ["an incomplete one stays", invited, [done, invited], [], "The registration of this login is not complete"],
    ["the only complete one stays", done, [done, invited], [], "This is the only login with a complete registration"],
    [
      "the last one stays when the other goes",
      done,
      [done, other],
      ["b@x.de"],
      "This is the only login with a complete registration",
    ],
    ["one of two may go", done, [done, other], [], undefined],
  ])("%s", (_, one, logins, removed, reason) =>
    expect(loginDeletionRefusalReason(one, logins, new Set(removed))).toBe(reason),
  );
});

test.each([
  ["nothing typed", "", "", true, false, {}],
  ["needed", "", "", true, true, { password: "The password is required" }],
  ["only repeated", "", "x", true, false, { password: "The password is required", repeat: "Password does not match" }],
  ["weak", "x", "x", false, false, { password: "The password doesn't fulfill all requirements" }],
  ["different", "good", "goof", true, false, { repeat: "Password does not match" }],
  ["in order", "good", "good", true, true, {}],
])("AC-11 password: %s", (_, password, repeat, fulfilled, needed, errors) =>
  expect(passwordErrors({ password, repeat }, fulfilled, needed)).toEqual(errors),
);

test.each([
  ["", "The email is required"],
  ["someone", "Invalid email"],
  ["A@x.de", "Another login of this account already uses this email"],
  ["b@x.de", undefined],
])("AC-11 email %j: %j", (email, reason) => expect(emailError(email, ["a@x.de"])).toBe(reason));

test("AC-11 the changes hold only what was done, and a removed login gets no password", () => {
  const changed = {
    "a@x.de": { password: "p", repeat: "p" },
    "b@x.de": { password: "", repeat: "" },
    "c@x.de": { password: "q", repeat: "q" },
  };
  const added = [{ key: 1, email: " d@x.de ", password: "r", repeat: "r" }];
  const draft = { changed, removed: new Set(["c@x.de"]), added, current: "" };
  const changes = [
    { operation: "REMOVE", email: "c@x.de" },
    { operation: "CHANGE_PASSWORD", email: "a@x.de", newPassword: "p" },
    { operation: "ADD", email: "d@x.de", newPassword: "r" },
  ];
  expect(toCredentialChanges(draft)).toEqual(changes);
  // For the user's own account, each change carries the current password.
  expect(toCredentialChanges({ ...draft, current: "s" })).toEqual(
    changes.map((one) => ({ ...one, currentPassword: "s" })),
  );
  expect([
    currentPasswordError(draft),
    currentPasswordError({ ...draft, current: "s" }),
    currentPasswordError(emptyDraft),
  ]).toEqual(["The current password is required", undefined, undefined]);
  expect(toCredentialChanges(emptyDraft)).toEqual([]);
});

test("AC-02 hits hang below the nearest ancestor that may be seen, and ancestors are no hits", () => {
  const tree = treeOf(
    [node("leaf", "root", "hidden", "mid", "low"), node("mid", "root", "hidden"), node("stray", "elsewhere")],
    [node("low", "root", "hidden", "mid"), node("mid", "root", "hidden")],
  );
  const shape = (nodes: typeof tree): unknown =>
    nodes.map((one) => [one.account.name, one.matches, shape(one.children)]);
  expect(shape(tree)).toEqual([
    ["mid", true, [["low", false, [["leaf", true, []]]]]],
    ["stray", true, []],
  ]);
});
