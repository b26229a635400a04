// Warns if the processes of one database have different secrets.
import { hkdfSync } from "node:crypto";
import type { Context } from "../context.ts";
import { replaceSecretMarks } from "./secret-marks.store.ts";

const variables = {
  SESSION_SECRET: "session",
  FIRMWARE_SIGNING_KEY: "firmware",
  DISPLAY_PRIVATE_KEY: "display",
} as const;

/** The secret can't be computed from its mark. */
const markOf = (secret: string) =>
  Buffer.from(hkdfSync("sha256", secret, "", "psp secret mark v1", 12)).toString("hex");

/** Compares the secrets with those of the process that started last, and remembers these. A changed secret warns once. */
export async function warnOfOtherSecrets({ config, db, log }: Pick<Context, "config" | "db" | "log">): Promise<void> {
  const marks = Object.fromEntries(Object.entries(variables).map(([name, key]) => [name, markOf(config.secrets[key])]));
  const before = await replaceSecretMarks(db, marks);
  const others = Object.keys(marks).filter((name) => name in before && before[name] !== marks[name]);
  if (others.length > 0)
    log.warn(
      `${others.join(" and ")}: the process that started before has another value. All processes need the same, or sensors and links of one are refused by the others.`,
    );
}
