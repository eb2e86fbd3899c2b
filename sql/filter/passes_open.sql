-- passes_open(so_far, sign, low, high, scaled, op, constant, constant_number): whether a node that has begun passes a
-- comparison whatever text it still gets. Its value so far may become a number from low to high times the sign, or, if
-- scaled, such a number times a power of ten; a null sign means that it is no number, whatever follows.
case $6
  when 'contains' then contains($1, $7)
  when 'starts-with' then starts_with($1, $7)
  when '!=' then case
    when $8 is null then not starts_with($7, $1)
    when $2 is null then $1 is not null
    else abs($8) < 1e300 and not ($2 * $8 between $3 and $4) and not ($5 and (
      $2 * $8 / power(10, floor(log10(greatest($2 * $8 / $3, 1)))) between $3 and $4
      or $2 * $8 / power(10, floor(log10(greatest($2 * $8 / $3, 1))) + 1) between $3 and $4
    ))
  end
  else false
end
