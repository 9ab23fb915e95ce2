-- +goose Up
INSERT INTO version (kind, n) VALUES ('listed', 0);
-- How often a server's list has changed.
ALTER TABLE manifest ADD COLUMN n bigint NOT NULL DEFAULT 1;
