// Words of the permission editor (spec 1 §2, §5; names as in decisions 14).
import { rightNames } from "@psp/contract/permission/right-names.ts";

const list = new Intl.ListFormat("en", { type: "disjunction" });

export const permissionText = {
  title: "Permissions",
  tabs: "Permission types",
  createAccounts: rightNames.createAccounts,
  createAccountsOn: "Creates accounts below the own account",
  me: "Me",
  myChildren: "My children",
  roles: "Roles",
  anyRole: "Accounts with role …",
  level: "Ancestor level",
  groups: rightNames,
  leads: {
    view: (what: string) => `Sees ${what} of`,
    edit: (what: string) => `Edits ${what} of`,
    delete: (what: string) => `Deletes ${what} of`,
    createFor: (what: string) => `Creates ${what} for`,
    from: (what: string) => `Takes ${what} away from`,
    to: (what: string) => `Hands ${what} over to`,
    viewAccounts: "Sees",
    editAccounts: "Edits",
    deleteAccounts: "Deletes",
    assignRoles: "Gives roles to",
    assignSensors: "Assigns sensors of",
    useFirmware: "Uses firmware of",
  },
  notAllowed: "Not allowed",
  reach: {
    me: "own account",
    children: "all accounts below",
    both: "own account and all below",
    ancestors: (n: number) => (n === 1 ? "the parent account" : `the ${n} nearest accounts above`),
    roles: (names: readonly string[]) => `accounts with the role ${list.format(names)}`,
  },
  readOnly: "You don't have permission to edit this role",
  meLocked: "Everybody sees their own account",
  notHeld: "Your own role doesn't have this permission",
  levelWhole: (highest: number) => `A whole number from 0 to ${highest}`,
  levelBeyond: (own: number) =>
    own === 0 ? "Your own role reaches no account above" : `Your own role reaches up to level ${own}`,
  unknownRole: "Unknown role",
  preview: "What it gives",
  previewAccount: "Shown for account",
  previewPick: "Choose an account to see what it would see with this role.",
  previewCounting: "Counting…",
  previewFailed: "It could not be counted.",
  previewSees: (name: string, sensors: number, accounts: number) =>
    `${name} sees ${sensors === 1 ? "1 sensor" : `${new Intl.NumberFormat("en").format(sensors)} sensors`} of ${accounts === 1 ? "1 account" : `${new Intl.NumberFormat("en").format(accounts)} accounts`}.`,
  previewNothing: (name: string) => `${name} sees no sensors.`,
  previewNote: "Counted among the accounts and sensors that you see yourself.",
} as const;
