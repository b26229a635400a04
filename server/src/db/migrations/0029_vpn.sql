-- VPN: which process has the management connection to each VPN server, and indexes of the few sensors that use the VPN.

create table vpn_server (
  -- The server's id in the configuration VPN_SERVERS.
  id text primary key,
  holder_id uuid not null,
  -- Time of the database's clock. After it, another process may take over.
  held_until timestamptz not null
);

-- `until` is in ISO 8601 with milliseconds, in UTC, so sorting it as text sorts it by time.
create index sensor_by_vpn_until on sensor ((vpn ->> 'until')) where vpn ->> 'connect' = 'true';
create index sensor_by_vpn_server on sensor ((vpn -> 'vpnStatus' ->> 'serverID')) where vpn -> 'vpnStatus' ->> 'connected' = 'true';

-- Before this migration, no one could request the VPN, and no VPN server reported a status.
update sensor set vpn = jsonb_build_object('enabledOnSensor', coalesce(vpn -> 'enabledOnSensor', 'false'), 'connect', false, 'vpnStatus', null)
where vpn is not null;
