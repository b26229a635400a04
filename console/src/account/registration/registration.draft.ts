// What was typed into a registration form, kept over a reload in this tab; passwords never.
import type { RegistrationValues } from "./registration.body.ts";

const key = "psp-registration";

/** Everything but what proves or signs something: that is entered anew. */
type Kept = Partial<Omit<RegistrationValues, "password" | "repeatPassword" | "dpa" | "eula">>;

/** `form` names the form: the address of its page. */
export function readDraft(form: string): Kept {
  try {
    const { of, values } = JSON.parse(sessionStorage.getItem(key) ?? "{}") as { of?: string; values?: Kept };
    return of === form && typeof values === "object" ? values : {};
  } catch {
    return {};
  }
}

export function keepDraft(form: string, values: Partial<RegistrationValues>): void {
  const { password: _password, repeatPassword: _repeated, dpa: _dpa, eula: _eula, ...kept } = values;
  sessionStorage.setItem(key, JSON.stringify({ of: form, values: kept }));
}

export function forgetDraft(): void {
  sessionStorage.removeItem(key);
}
