// Checks the form of failure responses.
import { errorEntry, isServerErrorCode } from "@psp/contract/errors.ts";
import { failureDetails } from "@psp/contract/kit/refusal.ts";
import { z } from "zod";

const failureSchema = z.strictObject({
  error: z.string(),
  code: z.int(),
  requestId: z.string().min(1),
  details: failureDetails.optional(),
  type: z.string().startsWith("urn:ps-platform:error:"),
  title: z.string(),
  status: z.int(),
});

const special = new Set([403, 408, 409, 412, 413, 415, 429, 431, 503]);

/** Internal details that must never reach a client. */
const inside =
  /\bat \S+ \(|\.ts:\d+|node_modules|syntax error|violates|\brelation "|\bcolumn "|SQLSTATE|invalid byte sequence|kysely|TypeError|RangeError/;

export type Answer = { status: number; contentType: string; requestId: string | null; text: string };

export function findFailureFault({ status, contentType, requestId, text }: Answer): string | null {
  if (!contentType.startsWith("application/problem+json")) return `content type ${contentType}`;
  if (inside.test(text)) return "tells of its inside";
  const parsed = failureSchema.safeParse(parse(text));
  if (!parsed.success) return `body: ${parsed.error.issues[0]?.path.join(".")} ${parsed.error.issues[0]?.message}`;
  const { code, error, title, requestId: inBody, status: inStatus, type } = parsed.data;
  if (!isServerErrorCode(code)) return `unknown code ${code}`;
  const entry = errorEntry(code);
  if (error !== entry.message || title !== entry.message) return "not the catalogue's sentence";
  if (type !== `urn:ps-platform:error:${entry.name}`) return `type ${type}`;
  if (inStatus !== status) return `status ${inStatus} in the body of a ${status}`;
  if (status !== entry.status && !special.has(status)) return `status ${status} with code ${code}`;
  return requestId === inBody ? null : `request id ${requestId} beside ${inBody}`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
