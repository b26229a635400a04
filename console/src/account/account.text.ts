// Texts of the account pages; some are fixed (docs/rules/accounts.md#fixed-texts).
import { ownedText } from "../entity/page/owned.text.ts";
import { formatCount } from "../ui/text/numbers.ts";

const accounts = (count: number) => formatCount(count, "account");

export const accountText = {
  ...ownedText("account", "accounts"),
  hanging: "What belongs to this account",
  logins: (n: number) => formatCount(n, "login"),
  childAccounts: { one: "sub-account", many: "sub-accounts" },
  listView: "List view",
  treeView: "Tree view",
  healthView: "Health",
  view: "View",
  add: "Add account",
  invite: "Invite a colleague",
  importFromCsv: "Import accounts from csv", // fixed
  addByHand: "Create account manually", // fixed
  state: "State",
  /** Options of the filter, by registration step (docs/rules/accounts.md#registration-steps). */
  states: [
    ["-2", "Rejected"],
    ["-1", "To be reviewed"], // fixed
    ["0", "Invitation sent"], // fixed
    ["1", "Email confirmation pending"],
    ["2", "Complete"],
  ],
  awaiting: "Accounts awaiting review", // fixed
  toReview: "TO BE REVIEWED", // fixed
  showAllAwaiting: (total: number) => `Show all ${total}`,
  review: (name: string) => `Review ${name}`,
  reviewShort: "Review",
  edit: (name: string) => `Edit ${name}`,
  remove: (name: string) => `Delete ${name}`,
  showMore: (left: number) => `Show more (${left} left)`,
  reloadLevel: "The sub-accounts could not be loaded. Try again",
  search: "Search by name", // fixed
  searchEmail: "Search by email", // fixed
  name: "Name",
  email: "Email",
  role: "Role",
  noneText: "Accounts are used for personal access on this platform.", // fixed
  denied: "Your role doesn't allow you to view other accounts.",
  roleGone: "This role is either deleted or you don't have access to it", // fixed
  roleRequired: "The role is required", // fixed
  nameRequired: "The name is required", // fixed
  cantAssignAny: "You can't assign any role.", // fixed
  cantAssignOther: "You can't assign any other role.", // fixed
  createNoRole: "You can not create an account because no role exists.", // fixed
  createNoAssignable: "You can not create an account because you have no role to assign to the new account.", // fixed
  changeNoRole: "You can not change the account's role because there is no role existing.", // fixed
  changeNoAssignable: "You can not change the account's role because you have no roles to assign.",
  newRole: "New role",
  otherOrganization: "For another organization",
  otherOrganizationHint: "The person enters their own organization and address when they register.",
  sameOrganizationHint: "Your organization and address are filled in and can't be changed.",
  changed: "Changes saved",
  invited: (email: string) => `Invitation sent to ${email}`,
  addCredentials: "Add Credentials", // fixed
  newCredentials: (number: number) => `New credentials ${number}`,
  removeCredentials: (email: string) => `Delete credentials ${email}`,
  incomplete: "(registration incomplete)", // fixed
  incompleteReason: "The registration of this login is not complete",
  onlyCompleteReason: "This is the only login with a complete registration",
  noneCompleteReason: "You can change the logins once the registration of one of them is complete",
  passwordRequired: "The password is required", // fixed
  passwordMismatch: "Password does not match", // fixed
  deleteMyTitle: "Delete My Account", // fixed
  deleteQuestion: (name: string) => `You are about to delete the account ${name}. Are you sure?`,
  deleteMyQuestion: "You won't be able to login using the credentials assigned to this account anymore.", // fixed
  hasChildren: "This account has sub-accounts. Delete them first",
  rootStays: "The root account can't be deleted",
  rootKeepsRole: "The root account keeps its role",
  reviewTitle: "Review account", // fixed
  reviewQuestion: "Do you approve the registration of the following account?", // fixed
  parent: "Parent Account", // fixed
  parentFilter: "Parent account",
  parentRequired: "The parent account is required",
  reviewRoleHint: "An account without a role can't see anything",
  accept: "Accept",
  reject: "Reject",
  notAwaiting: "This account is not waiting for approval",
  accepted: (name: string) => `Accepted ${name}`,
  rejected: (name: string) => `Rejected ${name}`,
  setRole: "Set role",
  deleteMany: "Delete",
  setRoleTitle: (count: number) => `Set role of ${accounts(count)}`,
  deleteManyTitle: (count: number) => `Delete ${accounts(count)}`,
  deleteManyQuestion: (count: number) =>
    `You are about to delete ${accounts(count)}. ${count === 1 ? "Its" : "Their"} users can no longer log in. ${count === 1 ? "Its" : "Their"} sensors and locations stay, but only parent accounts can manage them. To hand them over, delete one account at a time. Are you sure?`,
  setRoleQuestion: (count: number) => `This replaces the current role of ${accounts(count)}.`,
  importTitle: "Import accounts", // fixed
  importHint:
    "Each row with a new email address creates a sub-account of yours and sends an invitation. Rows without an email address, or with one already in use, are skipped.",
  file: "SAP export csv file", // fixed
  fileRequired: "SAP export csv file is required", // fixed
  fileEnding: "Only .csv files can be imported",
  fileTooLarge: "The file is larger than 10 MB",
  importAction: "Import",
  uploading: (name: string) => `Uploading ${name} …`,
  importLeave: "The import continues if you close this dialog.",
  importFailed: "Failed to import accounts.",
  importInterrupted:
    "The connection was lost during the import. Import the same file again: accounts that already exist are skipped.",
  importDone: (made: number) => `Imported ${accounts(made)}`,
  importCounts: [
    ["success", "Success"],
    ["irrelevant", "Irrelevant"],
    ["error", "Error"],
    ["total", "Total"],
  ],
  logs: "Logs",
  noLogs: "No errors.",
  downloadLog: "Download log",
  showResult: "Show result",
  importAnother: "Import another file",
  loginsNotKept: "Changes to logins and passwords are not kept.",
  myTitle: "My account",
  profile: "Profile",
  address: "Address",
  phone: "Phone",
  credentials: "Login Credentials", // fixed
  you: "(you)",
  steps: {
    "-2": "Registration rejected",
    "-1": "Waiting for review",
    0: "Registration form not filled in yet",
    1: "Email not confirmed yet",
    2: "Registration complete",
  } as Record<number, string>,
  formStep: "Fill out registration form", // fixed
  confirmStep: "Confirm email",
  done: "done",
  open: "open",
  notNeeded: "not needed",
  dpaVersion: (version: string) => `Data Processing Agreement, version ${version}`,
  acceptedBy: (name: string, date: string) => `Accepted by ${name}, ${date}`,
  actions: "Account Actions", // fixed
  editMine: "Edit your account", // fixed
  cantEditMine: "An account without a role can't be edited",
  closeMine: "Close your account", // fixed
  cantCloseMine: "You don't have permission to close your account",
  addressChange: "Request address change", // fixed
  addressChangeSubject: (name: string) => `Address change of ${name}`,
  addressChangeBody: (name: string) => `Please change the address of the account ${name} to:\n\n`,
  closeTitle: "Close Account",
  closeQuestion: (name: string) =>
    `You are about to close your account with the name ${name}. This would make all of the credentials invalid. Are you sure?`,
  closeButton: "Close account",
  sessions: "Where you are logged in",
  sessionsOf: (email: string) => `Browsers and scripts logged in as ${email}.`,
  thisDevice: "This device",
  unknownClient: "Unknown client",
  signedIn: "Logged in",
  lastUsed: "last used",
  signOut: "Log out",
  signOutOne: (client: string) => `Log out ${client}`,
  signOutOthers: "Log out all other devices",
  signOutOthersQuestion: (count: number) => `This logs out ${formatCount(count, "other device")}. Are you sure?`,
  signedOutOne: (client: string) => `Logged out ${client}`,
  signedOutOthers: (count: number) => `Logged out ${formatCount(count, "device")}`,
  signOutFailed: "The device could not be logged out.",
  sessionsFailed: "Your sessions could not be loaded",
  currentPassword: "Current Password",
  currentPasswordRequired: "The current password is required",
  currentPasswordHint: "Required to change the logins of your own account",
  loginsNotBelowReason: "Only the account itself and its parent accounts can change these logins",
  loginsStrongerReason: "This account has more access than yours",
} as const;

export const remoteConsentText = {
  card: "Remote access",
  switch: "Ask me before parent accounts open my sensors",
  cantAnswer: "To answer requests, you need permission to edit your sensors",
  hint: "Parent accounts give a reason and wait until you allow access on the sensor's page. You get an email about each request. Your own account and its sub-accounts don't need to ask.",
  saving: "Saving",
  loadFailed: "The setting could not be loaded",
  saveFailed: "The setting could not be saved.",
  noEdit: "You don't have permission to edit your own account",
} as const;

export const feedText = {
  card: "GTFS-Realtime feed",
  hint: "Tells trip planners and departure boards where your vehicles are and how full they are. It covers all coaches with a ZOD sensor in your account and its sub-accounts.",
  none: "You don't have a feed link yet.",
  created: "Feed link created",
  create: "Create feed link",
  creating: "Creating the feed link",
  replace: "Replace feed link",
  replaceQuestion: "The current feed link stops working immediately. Update everything that reads the feed.",
  revoke: "Revoke feed link",
  revokeQuestion: "The feed link stops working immediately. No one can read the feed until you create a new link.",
  revoked: "Feed link revoked",
  address: "Feed link",
  copy: "Copy feed link",
  once: "Copy the feed link now. You won't see it again. Anyone who has it can read the feed.",
  loadFailed: "The feed could not be loaded",
  createFailed: "The feed link could not be created.",
  revokeFailed: "The feed link could not be revoked.",
  noEdit: "You don't have permission to edit your own account",
} as const;
