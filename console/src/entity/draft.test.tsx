// Tests that live updates change only the untouched fields of a draft.
import { expect, test } from "vitest";
import { renderHook } from "vitest-browser-react";
import { useDraft } from "./draft.ts";

type Props = { current: { name: string; tag: string }; version: number };

test("untouched fields follow the news, a changed one stays, and the change is known to be outdated", async () => {
  const first: Props = { current: { name: "a", tag: "x" }, version: 1 };
  const { result, act, rerender } = await renderHook(
    (props?: Props) => useDraft((props ?? first).current, (props ?? first).version),
    { initialProps: first },
  );
  expect(result.current).toMatchObject({ changed: [], outdated: false, baseVersion: 1 });
  await act(() => result.current.set("name", "mine"));
  await rerender({ current: { name: "theirs", tag: "y" }, version: 2 });
  expect(result.current).toMatchObject({
    values: { name: "mine", tag: "y" },
    changed: ["name"],
    outdated: true,
    baseVersion: 1,
  });
  await act(() => result.current.discard());
  expect(result.current).toMatchObject({
    values: { name: "theirs", tag: "y" },
    changed: [],
    outdated: false,
    baseVersion: 2,
  });
});

test("what was saved stays on the screen until the page has it, and what is changed at once then is kept", async () => {
  const first: Props = { current: { name: "a", tag: "x" }, version: 1 };
  const { result, act, rerender } = await renderHook(
    (props?: Props) => useDraft((props ?? first).current, (props ?? first).version),
    { initialProps: first },
  );
  await act(() => result.current.set("name", "b"));
  // The server may change the saved values.
  await act(() => result.current.saved({ name: "b", tag: "x" }, { name: "B", tag: "x" }, 2));
  expect(result.current).toMatchObject({ values: { name: "B" }, changed: [], baseVersion: 2 });
  await act(() => result.current.set("name", "a"));
  expect(result.current).toMatchObject({ values: { name: "a" }, changed: ["name"], baseVersion: 2 });
  await rerender({ current: { name: "B", tag: "x" }, version: 2 });
  expect(result.current).toMatchObject({ values: { name: "a" }, changed: ["name"], outdated: false, baseVersion: 2 });
});

test("a field put back while it is being saved is a change of what was saved", async () => {
  const first: Props = { current: { name: "a", tag: "x" }, version: 1 };
  const { result, act, rerender } = await renderHook(
    (props?: Props) => useDraft((props ?? first).current, (props ?? first).version),
    { initialProps: first },
  );
  await act(() => result.current.set("name", "b"));
  const sending = result.current;
  await act(() => result.current.set("name", "a"));
  await act(() => sending.saved(sending.values, { name: "b", tag: "x" }, 2));
  await rerender({ current: { name: "b", tag: "x" }, version: 2 });
  expect(result.current).toMatchObject({ values: { name: "a" }, changed: ["name"], outdated: false, baseVersion: 2 });
});

test("a field typed back to what it was is no change", async () => {
  const first: Props = { current: { name: "a", tag: "x" }, version: 1 };
  const { result, act } = await renderHook(() => useDraft(first.current, first.version));
  await act(() => result.current.set("name", "b"));
  await act(() => result.current.set("name", "a"));
  expect(result.current.changed).toEqual([]);
});

test("a changed field learns of a new value, can take it, and what is then saved is no conflict", async () => {
  const first: Props = { current: { name: "a", tag: "x" }, version: 1 };
  const { result, act, rerender } = await renderHook(
    (props?: Props) => useDraft((props ?? first).current, (props ?? first).version),
    { initialProps: first },
  );
  await act(() => result.current.set("name", "mine"));
  await act(() => result.current.set("tag", "my tag"));
  expect(result.current.fresh).toEqual([]);
  await rerender({ current: { name: "theirs", tag: "x" }, version: 2 });
  expect(result.current).toMatchObject({ values: { name: "mine", tag: "my tag" }, fresh: ["name"], baseVersion: 1 });
  await act(() => result.current.accept("name"));
  expect(result.current).toMatchObject({
    values: { name: "theirs", tag: "my tag" },
    changed: ["tag"],
    fresh: [],
    outdated: false,
    baseVersion: 2,
  });
  await act(() => result.current.set("name", "mine again"));
  expect(result.current.fresh).toEqual([]);
});

test("a field typed back before the news came is a new beginning", async () => {
  const first: Props = { current: { name: "a", tag: "x" }, version: 1 };
  const { result, act, rerender } = await renderHook(
    (props?: Props) => useDraft((props ?? first).current, (props ?? first).version),
    { initialProps: first },
  );
  await act(() => result.current.set("name", "b"));
  await act(() => result.current.set("name", "a"));
  await rerender({ current: { name: "a2", tag: "x" }, version: 2 });
  await act(() => result.current.set("name", "b"));
  expect(result.current).toMatchObject({ fresh: [], outdated: false, baseVersion: 2 });
});

test("what is typed while the rest is being saved stays, as a change of what was saved", async () => {
  const first: Props = { current: { name: "a", tag: "x" }, version: 1 };
  const { result, act, rerender } = await renderHook(
    (props?: Props) => useDraft((props ?? first).current, (props ?? first).version),
    { initialProps: first },
  );
  await act(() => result.current.set("name", "b"));
  const sent = result.current.values;
  await act(() => result.current.set("name", "bc"));
  await act(() => result.current.set("tag", "y"));
  const stored = { name: "b", tag: "x" };
  await act(() => result.current.saved(sent, stored, 2));
  await rerender({ current: stored, version: 2 });
  const kept = {
    values: { name: "bc", tag: "y" },
    changed: ["name", "tag"],
    fresh: [],
    baseVersion: 2,
    outdated: false,
  };
  expect(result.current).toMatchObject(kept);
  await act(() => result.current.saved(result.current.values, { name: "bc", tag: "y" }, 3));
  await rerender({ current: { name: "bc", tag: "y" }, version: 3 });
  expect(result.current).toMatchObject({ values: { name: "bc", tag: "y" }, changed: [], baseVersion: 3 });
});
