// State of the WAL archive of this process, for the metrics. There is at most one, because there is one embedded database.

export type WalArchiveState = {
  /** Changes committed until this time can be restored. */
  coveredAt: number;
  /** When the newest base backup was finished; null if the archive has none. */
  baseAt: number | null;
  /** Passes that failed since the start. */
  failures: number;
};

let state: WalArchiveState | null = null;

export const walArchiveState = {
  get: (): WalArchiveState | null => state,
  set: (next: WalArchiveState | null): void => void (state = next),
};
