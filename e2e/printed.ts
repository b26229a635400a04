// Parses URL and logins in the output of `npm start`.

export type Login = { email: string; password: string };

/** The URL after 'PS.Platform is ready at', or null if not printed yet. */
export function parsePrintedUrl(text: string): string | null {
  return /PS\.Platform is ready at (\S+)\s/.exec(text)?.[1] ?? null;
}

export function parsePrintedLogins(text: string): Login[] {
  const [, below = ""] = text.split("PS.Platform is ready at");
  return [...below.matchAll(/(\S+@[\w.-]+)[ \t]+(\S+)/g)].map(([, email = "", password = ""]) => ({ email, password }));
}
