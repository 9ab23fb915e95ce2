-- +goose Up
-- What was taken of a quota in a minute. Replicas take slices.
CREATE TABLE quota (
	name text NOT NULL,
	minute timestamptz NOT NULL,
	taken bigint NOT NULL,
	PRIMARY KEY (name, minute)
);
CREATE INDEX journal_intent ON journal (seq) WHERE outcome = 'intent';
-- Up to which row of the journal it is known what became of each intent.
CREATE TABLE swept (seq bigint NOT NULL);
INSERT INTO swept (seq) VALUES (0);
