-- One row: a value that occurs in this batch, as text and as a number.
select distinct value, number from sax_parse_result
