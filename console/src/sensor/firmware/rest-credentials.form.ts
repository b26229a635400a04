// The rules of the REST credentials form: what is required when, and what is sent (SE-10, spec 2 §5).
import { serverErrors } from "@psp/contract/errors.ts";
import { breaksInputRule } from "@psp/contract/kit/safe-text.ts";
import { restLimit } from "@psp/contract/sensor/sensor.ts";
import type { SensorUpdate } from "../sensor.queries.ts";
import { sensorPageText as text } from "../sensor-page.text.ts";

export type RestFields = { username: string; password: string };
type Credentials = NonNullable<SensorUpdate["sensorFeatureCredentials"]>;

/**
 * Every wrong field with its sentence. Stored credentials may keep their password; new ones need both fields once one
 * is filled in; stored ones whose fields are both empty are cleared.
 */
export function checkRest({ username, password }: RestFields, stored: boolean): Partial<RestFields> {
  const errors: Partial<RestFields> = {};
  const name = username.trim();
  if (name === "" && password !== "") errors.username = text.usernameRequired;
  if (name !== "" && password === "" && !stored) errors.password = text.passwordRequired;
  if (breaksInputRule(username)) errors.username = serverErrors[400].message;
  if (name.length > restLimit) errors.username = text.tooLong(restLimit);
  if (password.length > restLimit) errors.password = text.tooLong(restLimit);
  return errors;
}

/** What is sent; both fields empty clears what is stored. An empty password beside a name keeps the stored one. */
export function toCredentials({ username, password }: RestFields): Credentials {
  const name = username.trim();
  if (name === "") return [{ feature: "restapi", username: "", password: "" }];
  return [{ feature: "restapi", username: name, ...(password === "" ? {} : { password }) }];
}
