// Tests that drafts survive a reload, are deleted on save, and are invisible to other accounts.
import { beforeEach, expect, test } from "vitest";
import { renderHook } from "vitest-browser-react";
import { dropInvalidDrafts, dropDraftsOfOthers, dropAllDrafts, keepDraft, readDraft } from "../api/session/drafts.ts";
import { useDraft, useNewObjectFields } from "./draft.ts";

const key = { account: "a", type: "role", id: "1" };
const first = { current: { name: "old", owner: { id: "o" } as { id: string } | null }, version: 1 };

beforeEach(() => sessionStorage.clear());

const open = (props = first) =>
  renderHook((given?: typeof first) => useDraft((given ?? props).current, (given ?? props).version, key), {
    initialProps: props,
  });

test("RO-02 an edit comes back as it was, and marks what somebody else changed meanwhile", async () => {
  const before = await open();
  await before.act(() => before.result.current.set("name", "mine"));
  await before.unmount();
  const changed = { current: { ...first.current, name: "theirs" }, version: 2 };
  const { result, act } = await open(changed);
  expect(result.current).toMatchObject({
    values: { name: "mine" },
    restored: true,
    fresh: ["name"],
    outdated: true,
    baseVersion: 1,
  });
  await act(() => result.current.discard());
  expect(result.current).toMatchObject({ values: { name: "theirs" }, restored: false });
  expect(readDraft(key)).toBeNull();
});

test("RO-02 what was saved, or typed back to what it was, is kept no longer", async () => {
  const { result, act } = await open();
  await act(() => result.current.set("name", "mine"));
  expect(readDraft(key)).not.toBeNull();
  await act(() => result.current.saved({ name: "mine" }, { ...first.current, name: "mine" }, 2));
  expect(readDraft(key)).toBeNull();
  await act(() => result.current.set("name", "other"));
  await act(() => result.current.set("name", "mine"));
  expect(readDraft(key)).toBeNull();
});

test.each<[string, unknown]>([
  ["of another form", { values: { color: "red" }, seen: {}, base: 1 }],
  ["with a field of another kind", { values: { name: 7 }, seen: {}, base: 1 }],
  ["that is no draft", "text"],
])("RO-02 a draft %s is left alone", async (_, draft) => {
  keepDraft(key, draft);
  const { result } = await open();
  expect(result.current).toMatchObject({ values: first.current, changed: [], restored: false });
});

test("RO-02 a new object's fields come back; an owner who was chosen for the person is no input", async () => {
  const empty = { name: "", owner: { id: "me" } };
  const fields = () => renderHook(() => useNewObjectFields(empty, key));
  const untouched = await fields();
  await untouched.act(() => untouched.result.current.set("owner", { id: "else" }));
  expect(readDraft(key)).toBeNull();
  await untouched.act(() => untouched.result.current.set("name", "Night"));
  await untouched.unmount();
  const { result, act } = await fields();
  expect(result.current).toMatchObject({ values: { name: "Night", owner: { id: "else" } }, restored: true });
  await act(() => result.current.discard());
  expect(result.current).toMatchObject({ values: empty, restored: false, isTyped: false });
});

test("AU-08 a logout forgets every draft, also in a tab that slept through it; another login finds none", () => {
  keepDraft(key, 1);
  keepDraft({ ...key, account: "b" }, 2);
  dropDraftsOfOthers("b");
  expect(readDraft(key)).toBeNull();
  expect(readDraft({ ...key, account: "b" })).toBe(2);
  localStorage.setItem("psp-logged-out-at", String(Date.now() + 1));
  expect(readDraft({ ...key, account: "b" })).toBeNull();
  dropInvalidDrafts();
  expect(sessionStorage.length).toBe(0);
  localStorage.clear();
  keepDraft(key, 1);
  dropAllDrafts();
  expect(sessionStorage.length).toBe(0);
});
