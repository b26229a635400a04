// E-mail address pattern without zod, for pages that must not load it.

/** Maximum length of an address in SMTP. */
export const maxEmailLength = 254;

/** A copy of zod's pattern; a test checks that they are equal. */
export const emailPattern =
  /^(?:[A-Za-z0-9_'+-]+\.)*[A-Za-z0-9_'+-]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9-]*\.)+[A-Za-z]{2,}$/;
