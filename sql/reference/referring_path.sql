-- One row: a linear path that names a column of reference data.
select linear_path from query_linear_path where contains(linear_path, '@{urn:xpubsub:reference}')
