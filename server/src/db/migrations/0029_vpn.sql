-- VPN: which process speaks with the management of which VPN server, and quick ways to the few sensors that are concerned.

create table vpn_server (
  -- As VPN_SERVERS has it.
  id text primary key,
  holder_id uuid not null,
  -- By the database's own clock; from then on another process may take it.
  held_until timestamptz not null
);

-- `until` is written in ISO 8601 with milliseconds, in UTC: its order as text is its order in time.
create index sensor_by_vpn_until on sensor ((vpn ->> 'until')) where vpn ->> 'connect' = 'true';
create index sensor_by_vpn_server on sensor ((vpn -> 'vpnStatus' ->> 'serverID')) where vpn -> 'vpnStatus' ->> 'connected' = 'true';

-- Nothing could be asked for so far, and no VPN server was there to say anything.
update sensor set vpn = jsonb_build_object('enabledOnSensor', coalesce(vpn -> 'enabledOnSensor', 'false'), 'connect', false, 'vpnStatus', null)
where vpn is not null;
