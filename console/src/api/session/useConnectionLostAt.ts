// Time at which the connection was lost, to show how old the data is.
import { getConnectionLostAt } from "../live.ts";
import { useLiveState, useSession } from "./session.tsx";

/** In ms; null while connected or not signed in. */
export function useConnectionLostAt(): number | null {
  const { state } = useSession();
  const live = useLiveState();
  return state.status === "signedIn" && live === "down" ? getConnectionLostAt() : null;
}
