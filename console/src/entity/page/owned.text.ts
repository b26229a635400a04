// Texts that lists, pages and dialogs of all types share; most are fixed.
import { formatCount } from "../../ui/text/numbers.ts";

const titled = (words: string) => words.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase());

/** `one` and `many` as in "this init token" and "no init tokens". */
export const ownedText = (one: string, many: string) => ({
  title: titled(many),
  subtitle: titled(one),
  counted: (count: number) => formatCount(count, one, many),
  /** As in "this role was changed meanwhile". */
  subject: `This ${one}`,
  owner: "Owner",
  any: "Any",
  noneTitle: `No ${many} existing`,
  noMatchTitle: `No ${many} found`,
  noMatchText: `No ${many} found for the given filter criteria.`,
  showAll: `Show all ${many}`,
  loadFailed: `The ${many} could not be loaded`,
  deniedTitle: "No permission",
  denied: `Your role doesn't allow you to view ${many}.`,
  toList: `Go to ${many}`,
  notFound: `${titled(one)} not found`,
  oneFailed: `The ${one} could not be loaded`,
  localTime: "Local time",
  readOnly: `You can view but not change this ${one}.`,
  newValues: `Someone else has changed this ${one}.`,
  showNew: "Show the new values",
  newTitle: `New ${titled(one)}`,
  noAccount: `There is no account existing that you can create a ${one} for.`, // fixed
  createForEmpty: `You have no permission to create a ${one} with any existing account as owner.`, // fixed
  createFailed: `Failed to create new ${one}.`,
  updateFailed: `Failed to update ${one}.`,
  deleteTitle: `Delete ${titled(one)}`,
  deleteFailed: `Failed to delete ${one}.`,
  deleted: (name: string) => `Deleted ${one} ${name}`,
  noDelete: `You don't have permission to delete this ${one}`,
});
