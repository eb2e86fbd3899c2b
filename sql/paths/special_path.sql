-- One row: a linear path that the reader treats apart: that of the document node, or one that ends at a computed value.
select linear_path from query_linear_path where linear_path = '/' or contains(linear_path, '/=')
