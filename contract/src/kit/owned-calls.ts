// Creates the API calls that every owned noun has: list, get, create, update and delete.
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { idResponse, objectOrId } from "./id-reply.ts";
import { pageReply } from "./page.ts";

/**
 * `noun` becomes part of the names of the calls, and `path` is the path of the collection. `marks` are set on every call that
 * returns items.
 */
export function ownedCalls<Id extends z.ZodType, Item extends z.ZodType>(
  noun: string,
  path: string,
  id: Id,
  item: Item,
  marks: { secret?: true } = {},
) {
  const params = z.strictObject({ id });
  const one = `${path}/{id}`;
  return {
    byId: params,
    /** The response is an array, or an object with the total if the client requests it. */
    list: <Query extends z.ZodType>(name: string, query: Query, summary: string) =>
      endpoint(name, "GET", path, { ...marks, summary, query, reply: z.union([z.array(item), pageReply(item)]) }),
    get: (summary: string) => endpoint(`get${noun}`, "GET", one, { ...marks, summary, params, reply: item }),
    create: <Body extends z.ZodType>(body: Body, summary: string) =>
      endpoint(`create${noun}`, "POST", path, { ...marks, summary, body, reply: objectOrId(item) }),
    /** For a call that changes only a part of the object, `part` is its path below the object. */
    update: <Body extends z.ZodType>(body: Body, summary: string, { name = `update${noun}`, part = "" } = {}) =>
      endpoint(name, "PUT", one + part, { ...marks, summary, params, body, reply: objectOrId(item) }),
    remove: (summary: string) => endpoint(`delete${noun}`, "DELETE", one, { summary, params, reply: idResponse }),
  };
}
