-- +goose Up
-- What was taken of a quota in a minute. Replicas take slices.
CREATE TABLE quota (
	name text NOT NULL,
	minute timestamptz NOT NULL,
	taken bigint NOT NULL,
	PRIMARY KEY (name, minute)
);
CREATE INDEX journal_intent ON journal (at) WHERE outcome = 'intent';
