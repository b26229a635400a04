-- Versions that differ only in spelling are equal. A finished installation becomes 'reverted' while another version is running.

-- Removes spaces, a leading v, and the build metadata of SemVer. Must match the contract's plainVersion.
create function plain_version(version text) returns text language sql immutable parallel safe as $$
  select regexp_replace(split_part(regexp_replace(version, '\s+', '', 'g'), '+', 1), '^[vV](?=[0-9])', '')
$$;
update sensor set running_version = plain_version(running_version)
  where running_version is distinct from plain_version(running_version);
create index firmware_by_plain_version on firmware (type, plain_version(name)) where not is_deleted;

-- 'done' while the sensor reports the version of the task's firmware, 'reverted' while it reports another one.
create function followed_installation(installation text, task jsonb, running text) returns text language sql stable as $$
  select case
    when installation is null or installation not in ('done', 'reverted') or running is null then installation
    when exists (select from firmware f
      where f.id = (task ->> 'artifactID')::uuid and plain_version(f.name) = plain_version(running)) then 'done'
    else 'reverted' end
$$;
update sensor set installation = followed_installation(installation, update_task, running_version) where installation = 'done';
