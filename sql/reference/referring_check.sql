-- One row: a check that names a column of reference data.
select expression, namespaces from query_check where contains(namespaces, 'urn:xpubsub:reference')
