// Files that the command line names: a list of sensors that have enrolled, or any text.
import { readFileSync } from "node:fs";
import { z } from "zod";
import type { Member } from "../fleet/fleet.ts";
import { UsageError } from "./usage.ts";
import { faults, mac, restPassword, sensorType, siteKind, timeZone } from "./values.ts";

const member = z.object({
  id: mac,
  type: sensorType,
  password: z.string().min(1),
  fw: z.string().optional(),
  rest: restPassword.optional(),
  zone: timeZone.optional(),
  kind: siteKind.optional(),
  faults: faults.optional(),
}) satisfies z.ZodType<Member>;
const credentials = z.union([
  z.array(member).transform((sensors) => ({ fwKey: null, sensors })),
  z.object({ fwKey: z.string().nullish(), sensors: z.array(member) }),
]);

/** The sensors of a file, at least one, and the key that their firmware is signed with. */
export function readCredentials(path: string): { fwKey: string | null; members: Member[] } {
  const parsed = credentials.safeParse(jsonFile(path));
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new UsageError(
      `${path} is no list of {id,type,password}: ${issue?.path.join(".") ?? ""} ${issue?.message ?? ""}`,
    );
  }
  const { fwKey, sensors } = parsed.data;
  if (!sensors.length) throw new UsageError(`${path} names no sensor.`);
  return { fwKey: fwKey ?? null, members: sensors };
}

function jsonFile(path: string): unknown {
  const text = textFile(path);
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`${path} is no JSON.`);
  }
}

/** A file as text. Throws UsageError where it can't be read. */
export function textFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new UsageError(`Can't read ${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
