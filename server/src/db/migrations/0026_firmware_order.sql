-- The numbers of pre-releases are drawn among what one owner and those above it uploaded: read owner by owner, in order.
create index firmware_order on firmware (owner_id, type, precedence);
-- What it begins with is enough for everything that asks for an owner alone.
drop index firmware_by_owner;
