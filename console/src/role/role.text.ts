// Texts of the role pages; some are fixed (docs/rules/permissions.md#fixed-texts).
import { accessNames } from "@psp/contract/permission/templates.ts";
import { formatCount, formatNumber } from "../ui/text/numbers.ts";

const list = new Intl.ListFormat("en", { type: "conjunction" });
const roles = (n: number) => formatCount(n, "role");

export const roleText = {
  title: "Roles",
  held: "Who has this role",
  search: "Search by name", // fixed
  name: "Name",
  owner: "Owner",
  any: "Any",
  create: "Create role",
  noneTitle: "No roles existing", // fixed
  noneText: "With roles you can assign permissions to accounts.", // fixed
  noMatchTitle: "No roles found", // fixed
  noMatchText: (name: string) =>
    name === "" ? "No roles found for the given filter criteria." : `No roles found for "${name}".`,
  showAll: "Show all roles", // fixed
  loadFailed: "The roles could not be loaded",
  oneFailed: "The role could not be loaded",
  deniedTitle: "No permission",
  denied: "Your role doesn't allow you to view roles.",
  newTitle: "New Role",
  subtitle: "Role",
  subject: "This role",
  permissions: "Permissions",
  nameRequired: "The name is required", // fixed
  ownerRequired: "The owner is required.", // fixed
  deleteTitle: "Delete Role",
  deleteQuestion: (name: string, owner: string) =>
    `You are about to delete the role ${name} owned by ${owner}. Are you sure? Accounts with this role can't do anything until they get another one.`,
  noDelete: "You don't have permission to delete this role", // fixed
  deleted: (name: string) => `Deleted role ${name}`,
  created: (name: string) => `Created role ${name}`,
  startFrom: "Start from",
  starts: {
    empty: "Empty",
    ...accessNames,
    own: "Copy of my role",
  },
  startSays: {
    empty: "This role can only see its own account.",
    viewer: "Can see everything in its own account and all sub-accounts, but change nothing.",
    operator: "Can see everything, and edit sensors and locations.",
    technician: "Can see everything, create and edit sensors and locations, assign sensors and use firmware.",
    manager: "Can do everything in its own account and all sub-accounts.",
    own: "Has the same permissions as your own role.",
  },
  leftOut: (rights: readonly string[]) =>
    `Omitted or reduced because your own role lacks them: ${rights.length > 8 ? `${rights.slice(0, 8).join(", ")} and ${rights.length - 8} more` : list.format(rights)}.`,
  invite: "Invite with this role",
  inviteAfterSave: "Save the role first",
  noAccount: "You can't create a role because no account exists.",
  createForEmpty: "You can not create a role because there is no account you can create it for.", // fixed
  createFailed: "Failed to create new role.", // fixed
  updateFailed: "Failed to update role.", // fixed
  deleteFailed: "Failed to delete role.", // fixed
  wouldKeep: (n: number) =>
    `If you save, ${roles(n)} created by accounts with this role will keep permissions that this role loses:`,
  keep: (n: number) =>
    `${roles(n)} created while this role had more permissions still ${n === 1 ? "has" : "have"} them:`,
  keeps: (owner: string, rights: readonly string[]) => `of ${owner}: ${rights.join(", ")}`,
  andMore: (n: number) => `and ${formatNumber(n)} more`,
  savedButKept: (n: number) =>
    `Saved. ${roles(n)} created earlier still ${n === 1 ? "has" : "have"} permissions that this role no longer has.`,
  showThem: "Show them",
  ownRole: "This is your own role. You can't change it.",

  noun: "role",
  plural: "roles",
  many: roles,
  counted: roles,
  deleteManyQuestion: (n: number) =>
    `You are about to delete ${roles(n)}. Are you sure? Accounts with ${n === 1 ? "this role" : "these roles"} can't do anything until they get another one.`,
} as const;
