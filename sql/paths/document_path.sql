-- One row: the linear path `/` of the document node, if some subscription uses it.
select id from query_linear_path where linear_path = '/'
