// Texts of the firmware pages; some are fixed (docs/rules/firmware.md#fixed-texts).
import { ownedText } from "../entity/page/owned.text.ts";
import { formatCount, formatNumber } from "../ui/text/numbers.ts";

const firmware = (n: number) => formatCount(n, "firmware", "firmware packages");

export const firmwareText = {
  ...ownedText("firmware", "firmware"),
  usedBy: "Sensors with this firmware",
  search: "Search by Version", // fixed
  type: "Sensor Type",
  version: "Version",
  md5: "MD5-Checksum",
  sha256: "SHA-256",
  create: "Create firmware",
  noneText: "A firmware represents a sensor application package.", // fixed
  download: (name: string) => `Download ${name}`,
  rollout: (name: string) => `Open rollout of ${name}`,
  openRollout: "Open rollout",
  downloadIt: "Download",
  noDownload: "You have no permission to use this firmware",

  file: "File",
  chooseFile: "Choose file",
  otherFile: "Choose another file",
  noFile: "This firmware has no file.",
  name: "Semantic version",
  nameHint: "For example 1.19.0 or 1.20.0-rc.1",
  visible: "Visible for child accounts", // fixed
  visibleHint: "All sub-accounts of the owner can see and install it.",
  fileNotKept: "The chosen file is not kept.",
  fileRequired: "The file is required.", // fixed
  fileEmpty: "The file is empty.",
  fileTooLarge: (mebibytes: number) => `The file is larger than ${formatNumber(mebibytes)} MB.`,
  nameRequired: "The semantic version string is required.", // fixed
  nameWrong: "Enter a semantic version such as 1.19.0 or 1.20.0-rc.1.",
  numberTooLarge: (most: number) => `Version numbers can be at most ${most}.`,
  ownerRequired: "The owner is required.", // fixed
  typeRequired: "The type is required.",
  uploading: "Upload",
  uploaded: (percent: number, sent: string, total: string) => `${percent} % · ${sent} of ${total}`,
  storing: "Upload complete. The server is checking and signing the file …",
  cancelUpload: "Cancel upload",
  canceled: "Upload canceled",
  created: (name: string) => `Created firmware ${name}`,

  deleteQuestion: (name: string, owner: string) =>
    `You are about to delete the firmware ${name} owned by ${owner}. Are you sure? Sensors running it keep it, and installations in progress finish. No other sensor can install it.`,
  noDelete: "You don't have permission to delete this artifact", // fixed

  noun: "firmware",
  plural: "firmware",
  many: firmware,
  deleteManyQuestion: (n: number) =>
    `You are about to delete ${firmware(n)}. Are you sure? Sensors running ${n === 1 ? "it" : "one of them"} keep it. No other sensor can install ${n === 1 ? "it" : "them"}.`,
} as const;

const units = ["B", "kB", "MB", "GB"] as const;
/** Formats a file size, e.g. "12.3 MB". */
export function formatFileSize(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log(bytes) / Math.log(1024)));
  const value = bytes / 1024 ** step;
  return `${new Intl.NumberFormat("en", { maximumFractionDigits: value < 100 && step > 0 ? 1 : 0 }).format(value)} ${units[step]}`;
}
