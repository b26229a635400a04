// The calls that every owned noun has alike: list, get, create, update, delete. What is particular stays with the noun.
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { idReply, orId } from "./id-reply.ts";
import { pageReply } from "./page.ts";

/**
 * `noun` is part of the names of the calls; `path` is the address of all its objects, `{path}/{id}` the one of one. `marks`
 * go to every call that answers with items.
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
    /** The path parameters of one object, for the noun's other calls. */
    byId: params,
    /** All that the caller may view: an array, or objects with their total on request. */
    list: <Query extends z.ZodType>(name: string, query: Query, summary: string) =>
      endpoint(name, "GET", path, { ...marks, summary, query, reply: z.union([z.array(item), pageReply(item)]) }),
    get: (summary: string) => endpoint(`get${noun}`, "GET", one, { ...marks, summary, params, reply: item }),
    create: <Body extends z.ZodType>(body: Body, summary: string) =>
      endpoint(`create${noun}`, "POST", path, { ...marks, summary, body, reply: orId(item) }),
    /** Changes one object; `part` is what of it, where it is not the whole. */
    update: <Body extends z.ZodType>(body: Body, summary: string, { name = `update${noun}`, part = "" } = {}) =>
      endpoint(name, "PUT", one + part, { ...marks, summary, params, body, reply: orId(item) }),
    remove: (summary: string) => endpoint(`delete${noun}`, "DELETE", one, { summary, params, reply: idReply }),
  };
}
