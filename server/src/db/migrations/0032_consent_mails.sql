-- Finds how often one parent account asked an account for its consent. The number of mails about these requests is limited.
create index remote_session_by_question on remote_session (owner_id, account_id, asked_at) where consent is not null;
