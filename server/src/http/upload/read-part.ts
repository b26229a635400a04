// One part of a request against its schema: what is wrong is reported with the catalog's code and the field's name.
import { isServerErrorCode } from "@psp/contract/errors.ts";
import { faultOf } from "@psp/contract/kit/safe-text.ts";
import type { z } from "zod";
import { AppError } from "../../kit/app-error.ts";

/** The parsed value; throws 105 for a path, and for the others what the first fault earns (decisions 3). */
export function readPart(schema: z.ZodType | undefined, value: unknown, part: "path" | "query" | "body"): unknown {
  if (!schema) {
    const extra = part === "query" && value ? Object.keys(value)[0] : undefined;
    if (extra !== undefined) throw new AppError(102, { field: extra });
    return undefined;
  }
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  const fault = faultOf(result.error);
  // An address that can't be an id is an object that does not exist.
  if (part === "path") throw new AppError(105);
  // What is wrong in a query is a bad argument, but for the input rule and missing ones.
  const code = part === "query" && fault.code !== 400 && fault.code !== 104 ? 102 : fault.code;
  throw new AppError(isServerErrorCode(code) ? code : 102, { field: fault.field, reason: fault.message });
}
