// Baseline for list calls: node:http and pg with the same SQL design as the product, but none of its code. Usage:
// `node bare-http.ts URL PORT`.
import { createServer } from "node:http";
import pg from "pg";

const [, , databaseUrl = "", port = "0"] = process.argv;
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
const pool = new pg.Pool({ connectionString: databaseUrl, max: 16 });

const filters: Record<string, string> = {
  f0: "",
  f1: " and type = 'PS.C1'",
  f3: " and type = 'PS.C1' and firmware_running_id = '00000000-0000-7000-b000-000000000001' and is_connected",
};

const server = createServer((request, reply) => {
  const url = new URL(request.url ?? "/", "http://localhost");
  const path = url.searchParams.get("path") ?? "";
  const all = url.searchParams.get("all") === "1";
  const filter = filters[url.searchParams.get("filter") ?? "f0"] ?? "";
  const scope = all ? "not is_deleted" : "not is_deleted and owner_path >= $1 and owner_path < $1 || '~'";
  const values = all ? [] : [path];
  const skip = Number(url.searchParams.get("skip") ?? 0);
  // With an offset, the query skips ids instead of whole rows.
  const rows = `${scope}${filter} order by id limit 50 offset ${skip}`;
  const cut = skip > 0 ? `id in (select id from sensor where ${rows})` : rows;
  const page = () =>
    pool.query(
      `select s.*, o.name as owner_name, l.name as location_name, f.name as firmware_name from
      (select * from sensor where ${cut}) s join account o on o.id = s.owner_id
      left join location l on l.id = s.location_id left join firmware f on f.id = s.firmware_running_id order by s.id`,
      values,
    );
  const total = () => pool.query(`select count(*) as n from sensor where ${scope}${filter}`, values);
  const ids = () =>
    pool.query(`select '[' || string_agg('"' || id || '"', ',') || ']' as ids from sensor where ${scope}`, values);
  const stats = () =>
    pool.query(
      `select type, running_version, is_connected or last_contact_at > now() - interval '24 hours' as connected, count(*) as n
      from sensor where ${scope} group by 1, 2, 3`,
      values,
    );
  // The same totals, with neither rights nor recent changes.
  const customers = () =>
    pool.query(
      `with sums as (select left(owner_path, length($1) + 5) as path, sum(sensors) as sensors, sum(offline) as offline,
          sum(errors) as errors, sum(warnings) as warnings, sum(outdated) as outdated
        from owner_total where owner_path > $1 and owner_path < $1 || '~' group by 1),
      counts as (select left(owner_path, length($1) + 5) as path, sum(known_ms) as known, sum(expected_ms) as expected
        from owner_completeness where owner_path > $1 and owner_path < $1 || '~' group by 1),
      tree as (select left(path, length($1) + 5) as path, max(last_seen_at) as seen, count(*) - 1 as children
        from account where path > $1 and path < $1 || '~' and not is_deleted group by 1)
      select a.id, a.name, sums.*, counts.*, tree.*, count(*) over () as total from account a
      left join sums on sums.path = a.path left join counts on counts.path = a.path left join tree on tree.path = a.path
      where a.parent_id = (select id from account where path = $1) and not a.is_deleted
      order by errors desc nulls last, warnings desc, offline desc, outdated desc, name_sort, a.id limit 50`,
      values,
    );
  const key = () => pool.query("select * from sensor where id = $1", ["02:00:00:00:00:01"]);
  const works: Record<string, () => Promise<unknown>> = {
    "/page": async () => ({ objects: (await page()).rows }),
    "/both": async () => {
      const [rows, count] = await Promise.all([page(), total()]);
      return { objects: rows.rows, total: (count.rows[0] as { n: number }).n };
    },
    "/stats": async () => (await stats()).rows,
    "/key": async () => (await key()).rows,
    "/customers": async () => (await customers()).rows,
    "/ids": async () => (await ids()).rows[0] as unknown,
  };
  const work = (works[url.pathname] ?? works["/page"])?.() ?? Promise.resolve(null);
  work.then(
    (value) => reply.setHeader("content-type", "application/json").end(JSON.stringify(value)),
    (error: unknown) => {
      reply.statusCode = 500;
      reply.end(String(error));
    },
  );
});
server.listen(Number(port), "127.0.0.1", () => process.stdout.write("ready\n"));
