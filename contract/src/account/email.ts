// What an email address looks like, for screens that load no validator.

/** As long as mail servers take one. */
export const maxEmailLength = 254;

/** The validator's own pattern; a test compares them. */
export const emailPattern =
  /^(?:[A-Za-z0-9_'+-]+\.)*[A-Za-z0-9_'+-]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9-]*\.)+[A-Za-z]{2,}$/;
