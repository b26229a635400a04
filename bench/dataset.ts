// Fills a migrated database with accounts and sensors in seconds, with plain SQL.
import pg from "pg";

export type Viewer = { name: "root" | "mid" | "leaf"; accountId: string; path: string; token: string; sensors: number };

/** Path labels of five base-62 digits, as in the server's SQL function. */
const label = (expression: string) =>
  [14776336 / 1, 238328, 3844, 62, 1]
    .map(
      (power) =>
        `substr('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz', ((${expression}) / ${power} % 62)::int + 1, 1)`,
    )
    .join(" || ");

const rights = `{"me": true, "myChildren": true}`;
const permissions = `{"ownable": {"sensor": {"canViewObject": ${rights}, "canEditObject": ${rights}}, "measurement": {"canViewObject": ${rights}}, "artifact": {"canViewObject": ${rights}}}, "owner": {"canViewOwner": ${rights}}}`;

/**
 * Inserts sensors, one account per 100 sensors (at most `dealers` dealers below root, customers below the dealers), one location per
 * account and four firmwares per type. Returns one viewer per level with a session. `version`: SQL of the
 * version of sensor `n`.
 */
export async function fillDatabase(
  databaseUrl: string,
  sensors: number,
  { dealers: most = 100, version = "f.name" } = {},
): Promise<Viewer[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const accounts = Math.max(10, Math.round(sensors / 100));
  const dealers = Math.min(most, Math.max(3, Math.round(Math.sqrt(accounts))));
  const run = (text: string, values: unknown[] = []) => client.query(text, values);
  const { rows } = await run("select id, path from account where parent_id is null");
  const root = rows[0] as { id: string; path: string };

  await run("begin");
  await run(
    `insert into role (id, owner_id, owner_path, name, permissions) values ('00000000-0000-7000-8000-000000000001', $1, $2, 'bench', $3)`,
    [root.id, root.path, permissions],
  );
  const account = (from: number, to: number, parentId: string, ancestors: string, path: string) => `
    insert into account (id, name, parent_id, ancestor_ids, path, role_id)
    select ('00000000-0000-7000-9000-' || lpad(to_hex(n), 12, '0'))::uuid, 'Account ' || n, ${parentId}, ${ancestors},
      ${path} || ${label("n + 1000")}, '00000000-0000-7000-8000-000000000001'
    from generate_series(${from}, ${to}) n`;
  await run(account(1, dealers, `'${root.id}'`, `array['${root.id}'::uuid]`, `'${root.path}'`));
  const dealer = `('00000000-0000-7000-9000-' || lpad(to_hex(n % ${dealers} + 1), 12, '0'))::uuid`;
  await run(
    account(
      dealers + 1,
      accounts - 1,
      dealer,
      `array['${root.id}'::uuid, ${dealer}]`,
      `'${root.path}' || (${label(`n % ${dealers} + 1 + 1000`)})`,
    ),
  );
  await run(`insert into location (id, owner_id, owner_path, name, timezone)
    select ('00000000-0000-7000-a000-' || right(id::text, 12))::uuid, id, path, 'Location ' || name, 'Europe/Berlin' from account`);
  await run(
    `insert into firmware (id, owner_id, owner_path, type, name, precedence, children_can_view)
    select ('00000000-0000-7000-b000-' || lpad(n::text, 12, '0'))::uuid, $1, $2, (array['APS','PS.C1','ZOD'])[n % 3 + 1], '1.' || n || '.0', lpad(n::text, 9, '0'), true
    from generate_series(0, 11) n`,
    [root.id, root.path],
  );
  await run(
    "create temporary table numbered on commit drop as select id, path, row_number() over (order by md5(id::text)) - 1 as k from account where parent_id is not null",
  );
  // One fifth of the sensors are PS.C1, and 0.03 % have a rare combination of type, firmware and connection.
  await run(
    `insert into sensor (id, owner_id, owner_path, type, location_id, firmware_id, firmware_running_id, running_version, is_connected, last_contact_at, groups, license_monitoring)
    select '02:' || regexp_replace(lpad(upper(to_hex(n)), 10, '0'), '(..)(..)(..)(..)(..)', '\\1:\\2:\\3:\\4:\\5'), a.id, a.path,
      case when n % 5 = 0 then 'PS.C1' when n % 5 = 1 then 'ZOD' else 'APS' end,
      ('00000000-0000-7000-a000-' || right(a.id::text, 12))::uuid,
      f.id, f.id, ${version}, n % 20 <> 0, now() - (case when n % 20 = 0 then interval '40 days' else interval '1 minute' end),
      case when n % 11 = 0 then array['entrance'] else '{}'::text[] end, n % 3 = 0
    from generate_series(0, $1::int - 1) n
    join numbered a on a.k = n % (select count(*) from numbered)
    join firmware f on f.id = ('00000000-0000-7000-b000-' || lpad((case when n % 5 = 0 then (case when n % 1955 = 0 then 1 else 4 end) when n % 5 = 1 then 2 else 0 end)::text, 12, '0'))::uuid`,
    [sensors],
  );
  const viewers: Viewer[] = [];
  const picks = [
    { name: "root", where: "parent_id is null" },
    { name: "mid", where: `id = '00000000-0000-7000-9000-000000000001'` },
    { name: "leaf", where: `id = ('00000000-0000-7000-9000-' || lpad(to_hex(${dealers + 1}), 12, '0'))::uuid` },
  ] as const;
  for (const [index, { name, where }] of picks.entries()) {
    const { rows: found } = await run(`select id, path from account where ${where}`);
    const { id, path } = found[0] as { id: string; path: string };
    const token = `bench-token-${name}-0123456789012345678901234567890`;
    const session = `00000000-0000-7000-c000-${String(index).padStart(12, "0")}`;
    await run(`insert into credential (id, account_id, email, step) values ($1, $2, $3, 2)`, [
      session,
      id,
      `${name}@bench.example`,
    ]);
    await run(
      `insert into session (id, token_hash, account_id, credential_id, created_at, last_used_at, expires_at)
       values ($1, sha256($2::bytea), $3, $1, now(), now(), now() + interval '10 days')`,
      [session, token, id],
    );
    const { rows: counted } = await run(
      "select count(*) as n from sensor where owner_path >= $1 and owner_path < $1 || '~'",
      [path],
    );
    viewers.push({ name, accountId: id, path, token, sensors: Number((counted[0] as { n: string }).n) });
  }
  // Otherwise done by a job, which the lists do not run.
  await run(`with taken as (delete from sensor_stat_change returning stat, owner_path, value, n)
    insert into sensor_stat as s (stat, owner_path, value, n) select stat, owner_path, value, sum(n) from taken group by 1, 2, 3
    on conflict (owner_path, stat, value) do update set n = s.n + excluded.n`);
  await run("commit");
  await run("vacuum analyze");
  await client.end();
  return viewers;
}
