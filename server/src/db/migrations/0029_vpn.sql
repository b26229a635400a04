-- VPN: which process holds the management connection of each VPN server, and indexes of the few sensors that use the VPN.

create table vpn_server (
  -- Id from the configuration VPN_SERVERS.
  id text primary key,
  holder_id uuid not null,
  -- By the database's own clock; from then on another process may take over.
  held_until timestamptz not null
);

-- `until` is in ISO 8601 with milliseconds, in UTC, so its order as text is its order in time.
create index sensor_by_vpn_until on sensor ((vpn ->> 'until')) where vpn ->> 'connect' = 'true';
create index sensor_by_vpn_server on sensor ((vpn -> 'vpnStatus' ->> 'serverID')) where vpn -> 'vpnStatus' ->> 'connected' = 'true';

-- Before this migration, no one could request the VPN, and no VPN server reported a status.
update sensor set vpn = jsonb_build_object('enabledOnSensor', coalesce(vpn -> 'enabledOnSensor', 'false'), 'connect', false, 'vpnStatus', null)
where vpn is not null;
