-- +goose Up
-- Which holder runs a server, and where it is reached. The clock is the database's,
-- and an epoch is never that of another holder.
CREATE TABLE lease (
	name text PRIMARY KEY,
	owner text NOT NULL,
	address text NOT NULL,
	epoch bigint NOT NULL DEFAULT 1,
	expires_at timestamptz NOT NULL
);
