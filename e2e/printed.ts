// What a start prints for the person at the keyboard, read as that person reads it: the address to open, and the logins.

export type Login = { email: string; password: string };

/** The address behind 'PS.Platform is ready at', or null while the start has not come to it. */
export function printedAddress(text: string): string | null {
  return /PS\.Platform is ready at (\S+)\s/.exec(text)?.[1] ?? null;
}

/** Every login in the order of the lines: an e-mail address, and behind it a password. */
export function printedLogins(text: string): Login[] {
  const [, below = ""] = text.split("PS.Platform is ready at");
  return [...below.matchAll(/(\S+@[\w.-]+)[ \t]+(\S+)/g)].map(([, email = "", password = ""]) => ({ email, password }));
}
