// When the live connection was lost, for what has to say how old the values on the screen are.
import { liveLostAt } from "../api/live.ts";
import { useLiveState, useSession } from "./session.tsx";

/** In ms; null while there is a connection, or no one is signed in. */
export function useLostAt(): number | null {
  const { state } = useSession();
  const live = useLiveState();
  return state.status === "signedIn" && live === "down" ? liveLostAt() : null;
}
