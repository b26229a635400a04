// Applies changes to the tags of a location (docs/rules/locations.md#tags).
import type { TagsChange } from "./location.batch.api.ts";

/** Tags with the same key are the same tag in different spellings. */
type KeyOf = (tag: string) => string;

/** Approximates the key that the database computes (`searched_text`). Good enough for previews, but not for changes. */
export const previewTagKey: KeyOf = (tag) =>
  tag
    .normalize("NFKD")
    .replaceAll(/[\u0300-\u036F]/gu, "")
    .toLowerCase()
    .replaceAll("ß", "ss");

/** Keeps the first spelling of each tag. */
export function distinctTags(tags: readonly string[], keyOf: KeyOf): string[] {
  const first = new Map<string, string>();
  for (const tag of tags) if (!first.has(keyOf(tag))) first.set(keyOf(tag), tag);
  return [...first.values()];
}

/** Returns the location's tags after the change. Added tags come last; a present tag keeps its spelling and position. */
export function applyTagsChange(present: readonly string[], change: TagsChange, keyOf: KeyOf): string[] {
  const { add = [], remove = [], replace } = change;
  if (replace !== undefined) return distinctTags(replace, keyOf);
  const removed = new Set(remove.map(keyOf));
  return distinctTags([...present.filter((tag) => !removed.has(keyOf(tag))), ...add], keyOf);
}

/** Returns a tag that the change both adds and removes. */
export function findContradiction({ add = [], remove = [] }: TagsChange, keyOf: KeyOf): string | undefined {
  const removed = new Set(remove.map(keyOf));
  return add.find((tag) => removed.has(keyOf(tag)));
}
