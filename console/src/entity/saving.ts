// Saving something that others edit, too: with the version that was seen; when that is no longer the last, the person decides.
import { useState } from "react";
import { CallError } from "../api/call.ts";

/** Goes along with a change; without a version it overwrites whatever is there. */
export type Seen = { version?: number };

type SavingProps = {
  /** The version that the input was made over. */
  baseVersion: number;
  /** Checks the input and sends it; a refusal is thrown. */
  attempt: (seen: Seen) => Promise<unknown>;
  /** The change was refused for another reason than somebody else's. */
  onFailure: (error: unknown) => void;
  /** Drops the input for what is there now. */
  onReload: () => void;
};

/** `save` for the form, and `conflict` for its `ConflictDialog`. */
export function useSaving({ baseVersion, attempt, onFailure, onReload }: SavingProps) {
  const [open, setOpen] = useState(false);
  const save = async (seen: Seen) => {
    setOpen(false);
    try {
      await attempt(seen);
    } catch (error) {
      if (error instanceof CallError && error.status === 412) setOpen(true);
      else onFailure(error);
    }
  };
  return {
    save: () => save({ version: baseVersion }),
    conflict: {
      open,
      onReload: () => {
        setOpen(false);
        onReload();
      },
      onOverwrite: () => void save({}),
      onClose: () => setOpen(false),
    },
  };
}
