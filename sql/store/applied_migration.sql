-- One row: a migration that was applied to this store.
select distinct version, name, checksum from schema_migration
