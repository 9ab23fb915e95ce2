-- +goose Up
INSERT INTO version (kind, n) VALUES ('credential', 0);

-- Credentials are sealed for their principal, server and its address.
CREATE TABLE credential (
	issuer text NOT NULL,
	subject text NOT NULL,
	server text NOT NULL,
	version bigint NOT NULL DEFAULT 1,
	key_id text NOT NULL,
	sealed bytea NOT NULL,
	expires_at timestamptz NOT NULL,
	claimed_by text NOT NULL DEFAULT '',
	claimed_until timestamptz NOT NULL DEFAULT now(),
	dead boolean NOT NULL DEFAULT false,
	at timestamptz NOT NULL DEFAULT now(),
	PRIMARY KEY (issuer, subject, server)
);

-- What can be used once, until it could not be used anyway.
CREATE TABLE spent (
	nonce text PRIMARY KEY,
	expires_at timestamptz NOT NULL
);
