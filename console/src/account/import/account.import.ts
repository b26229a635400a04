// Runs an import independently of its dialog, so that it continues when the dialog is closed.
import { importAccounts } from "@psp/contract/account/account.api.ts";
import { type ImportResult, importUpload } from "@psp/contract/account/account.import.ts";
import { CallError } from "../../api/call.ts";
import { type FormProgress, sendForm } from "../../api/send-form.ts";
import { failureText } from "../../api/useFailure.ts";
import { accountText } from "../account.text.ts";

export type ImportState =
  | { step: "idle"; failure?: string }
  | { step: "running"; fileName: string; startedAt: number; progress: FormProgress | null }
  | { step: "done"; fileName: string; result: ImportResult };

const idle: ImportState = { step: "idle" };
let state: ImportState = idle;
/** Other users of the browser must not see the import. */
let ownerId = "";
const listeners = new Set<() => void>();

function move(next: ImportState): void {
  state = next;
  for (const listener of listeners) listener();
}

export function subscribeToImport(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
export function importStateOf(actorId: string): ImportState {
  return actorId === ownerId ? state : idle;
}
export function forgetImport(): void {
  if (state.step !== "running") move(idle);
}

/** Resolves when the import ends. If the same user already runs an import, returns its state instead. */
export async function runImport(actorId: string, file: File, role: string): Promise<ImportState> {
  if (state.step === "running" && ownerId === actorId) return state;
  ownerId = actorId;
  const mine: ImportState = { step: "running", fileName: file.name, startedAt: Date.now(), progress: null };
  move(mine);
  const isMine = () => ownerId === actorId && state.step === "running" && state.startedAt === mine.startedAt;
  const form = new FormData();
  form.append("role", role);
  form.append(importUpload.file, file);
  let end: ImportState;
  try {
    const result = await sendForm(importAccounts, form, (progress) => {
      if (isMine()) move({ ...mine, progress });
    });
    end = { step: "done", fileName: file.name, result };
  } catch (error) {
    const isLost = error instanceof CallError && error.status === 0;
    end = { step: "idle", failure: failureText(error) + (isLost ? ` ${accountText.importInterrupted}` : "") };
  }
  if (isMine()) move(end);
  return end;
}
