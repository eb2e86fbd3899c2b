-- One row: a migration applied to this store.
select distinct version, name, checksum from schema_migration
