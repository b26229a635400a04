-- Scheduled reports, of which the weekly report of a login is one kind (docs/rules/reports.md).

create table report (
  id uuid primary key,
  owner_id uuid not null references account (id),
  owner_path text collate "C" not null,
  name text not null,
  is_deleted boolean not null default false,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  name_search text not null generated always as (searched_text(name)) stored,
  name_sort text collate "C" not null generated always as (sorted_text(name)) stored,
  -- The login with whose account's rights the report is made: the one that saved it last. Null when the login has been purged.
  creator_id uuid references credential (id) on delete set null,
  -- The report that the switch in My account controls.
  is_weekly boolean not null default false,
  -- Filters, range, steps, comparison, content and formats, as on the wire.
  query jsonb not null,
  schedule jsonb not null,
  language text not null default 'en',
  is_enabled boolean not null default true,
  -- Why the report has stopped. Saving it starts it again.
  stopped text,
  -- Due instants up to this one have their run, or were skipped.
  handled_to timestamptz not null,
  -- When to look whether the report is due: at its due instant, or earlier if that depends on a zone that may change. Null while it is
  -- off or stopped.
  check_at timestamptz,
  next_at timestamptz,
  last_run_at timestamptz,
  last_run_state text
);
create index report_by_path on report (owner_path, id);
create index report_by_owner on report (owner_id);
create index report_by_name on report (name_sort, name, id) where not is_deleted;
create index report_by_creator on report (creator_id);
create unique index report_weekly on report (creator_id) where is_weekly and not is_deleted;
create index report_to_check on report (check_at, id) where check_at is not null and not is_deleted;

-- Addresses in lower case. A row of an address that has unsubscribed stays when an editor removes it, so that adding it again does not
-- bring the mails back.
create table report_recipient (
  report_id uuid not null references report (id) on delete cascade,
  email text not null,
  position smallint not null,
  is_removed boolean not null default false,
  ended_at timestamptz,
  refused_at timestamptz,
  primary key (report_id, email)
);
create index report_recipient_by_email on report_recipient (email);

-- Addresses that are no login of an account or below it, and their consent to reports of the account.
create table report_address (
  account_id uuid not null references account (id),
  email text not null,
  asked_at timestamptz,
  confirmed_at timestamptz,
  primary key (account_id, email)
);
create index report_address_asked on report_address (account_id, asked_at);
create index report_address_by_email on report_address (email);

-- One row per report and due instant, so that each is made once. Rows that are due are claimed with `for update skip locked`.
create table report_run (
  id uuid primary key,
  report_id uuid not null references report (id) on delete cascade,
  due_at timestamptz not null,
  is_manual boolean not null default false,
  state text not null default 'due' check (state in ('due', 'done', 'skipped', 'failed')),
  reason text,
  check_at timestamptz not null,
  -- Runs with the same key need the same counts, and are made one after another.
  share_key text not null,
  attempts integer not null default 0,
  finished_at timestamptz,
  first_day integer,
  last_day integer,
  -- The locations whose counts the files contain: a reader must be allowed to view all of them.
  location_ids uuid[] not null default '{}',
  missing integer,
  unique (report_id, due_at)
);
create index report_run_due on report_run (check_at, share_key, id) where state = 'due';

create table report_delivery (
  run_id uuid not null references report_run (id) on delete cascade,
  email text not null,
  mail_id uuid not null,
  state text not null default 'queued' check (state in ('queued', 'sent', 'refused')),
  reason text,
  primary key (run_id, email)
);
create index report_delivery_queued on report_delivery (mail_id) where state = 'queued';
create index report_delivery_by_email on report_delivery (email);

-- Files of mails, shared by all mails that have them attached.
create table mail_attachment (
  id uuid primary key,
  name text not null,
  content_type text not null,
  content bytea not null,
  created_at timestamptz not null
);
create index mail_attachment_by_age on mail_attachment (created_at);
alter table mail_attachment alter column content set storage external;
alter table mail_outbox add column attachment_ids uuid[] not null default '{}';

create table report_file (
  run_id uuid not null references report_run (id) on delete cascade,
  format text not null,
  attachment_id uuid not null references mail_attachment (id) on delete cascade,
  primary key (run_id, format)
);
create index report_file_by_attachment on report_file (attachment_id);

-- Every subscription of the weekly report becomes a report of its login's account. Weeks before `monday` were handled: their due
-- instants are at least three days before it in any zone, and that of `monday` is at most 15 hours before it.
with moved as (
  insert into report (id, owner_id, owner_path, name, creator_id, is_weekly, query, schedule, handled_to, check_at, next_at)
  select gen_random_uuid(), a.id, a.path, 'Weekly report', w.credential_id, true,
    '{"filters": {}, "range": "lastWeek", "by": null, "open": false, "compare": "previous", "content": ["summary", "gaps"], "formats": []}',
    '{"every": "week", "on": "mo", "at": "07:00", "zone": null}',
    timestamptz 'epoch' + make_interval(days => w.monday - 3), w.check_at,
    timestamptz 'epoch' + make_interval(days => w.monday, hours => 7)
  from weekly_report w join credential c on c.id = w.credential_id join account a on a.id = c.account_id
  where not c.is_deleted and not a.is_deleted
  returning id, creator_id
)
insert into report_recipient (report_id, email, position)
select m.id, lower(c.email), 0 from moved m join credential c on c.id = m.creator_id;

drop table weekly_report;
