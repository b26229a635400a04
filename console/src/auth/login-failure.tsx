// Messages for failed sign-ins (AU-03).
import { Link } from "@mui/material";
import type { ReactNode } from "react";
import { CallError } from "../api/call.ts";
import { authText } from "./auth.text.ts";

/** Returns the message by HTTP status (docs/rules/sessions.md#login-screen). */
export function loginFailureMessage(error: unknown): ReactNode {
  if (!(error instanceof CallError)) return authText.failed;
  const { reason, publicUrl } = error.details;
  if (error.status === 403 && typeof reason === "string")
    return <ForeignOrigin reason={reason} publicUrl={publicUrl} />;
  if (error.status === 0) return authText.timeout;
  if (error.status === 401) return authText.wrong;
  if (error.status === 429) return authText.rateLimit;
  return error.message || authText.failed;
}

/** Explains that logins only work at the configured public URL. */
function ForeignOrigin({ reason, publicUrl }: { reason: string; publicUrl: unknown }) {
  if (typeof publicUrl !== "string") return reason;
  const [before, after] = reason.split(publicUrl);
  const { pathname, search } = globalThis.location;
  return (
    <>
      {before}
      <Link href={publicUrl + pathname + search} color="inherit" underline="always">
        {publicUrl}
      </Link>
      {after}
    </>
  );
}
